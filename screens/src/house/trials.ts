/** Trials of agents and models: no tools, since a model takes its time to answer. */
import { signInAgain } from "./identity";
import type { Result } from "./problems";
import { send } from "./requests";

/** A run takes two minutes at most. */
const SECONDS_MAX = 130;

export interface TrialMessage {
  by: "customer" | "agent";
  text: string;
}

export interface TrialStep {
  kind: "model" | "tool" | "reply" | "handover";
  state: "done" | "refused" | "failed" | "not_run";
  tool: string | null;
  input: unknown;
  answer: unknown;
  chargedMicroCredits: number;
}

export interface AgentTrial {
  state: "replied" | "handed_over";
  reply: string | null;
  reason: string | null;
  steps: TrialStep[];
  chargedMicroCredits: number;
}

export interface ModelTrial {
  text: string | null;
  /** Of an error of the gateway. */
  code: string | null;
  detail: string | null;
  milliseconds: number;
  promptTokens: number | null;
  completionTokens: number | null;
  chargedMicroCredits: number;
}

/** Have an agent, as it would be set by *settings*, answer *messages*. */
export const tryAgent = (settings: object, messages: readonly TrialMessage[], signal: AbortSignal) =>
  ask<AgentTrial>("/app/api/agent-trial", { ...settings, messages }, signal);

/** Ask *model* something short. */
export const tryModel = (model: string, text: string) => ask<ModelTrial>("/app/api/model-trial", { model, text });

async function ask<T>(path: string, body: object, signal?: AbortSignal): Promise<Result<T>> {
  const once = () => send<T>(path, { body, seconds: SECONDS_MAX, ...(signal && { signal }) });
  const result = await once();
  return !result.ok && result.problem.code === "unauthorized" && (await signInAgain()) ? once() : result;
}
