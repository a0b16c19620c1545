/** The turns of an actor as they end, from the trace door, whose answer is read line by line. */
import { useEffect, useRef, useState } from "preact/hooks";
import { pathOf, type TurnRecord } from "./types";

const TURNS = 200;
const SECONDS = 60;

export function useFollowed(kind: string, key: string) {
  const [turns, setTurns] = useState<readonly TurnRecord[] | null>(null);
  const [isOn, setIsOn] = useState(false);
  const trace = useRef<AbortController | null>(null);
  const stop = () => trace.current?.abort();
  useEffect(() => {
    setTurns(null);
    return stop;
  }, [kind, key]);
  const start = async () => {
    stop();
    const own = new AbortController();
    trace.current = own;
    setTurns([]);
    setIsOn(true);
    try {
      for await (const turn of traced(`/debug/trace/${pathOf({ kind, key })}?turns=${TURNS}&seconds=${SECONDS}`, own.signal))
        setTurns((before) => [turn, ...(before ?? [])]);
    } catch {
      // It was stopped, or the service has gone: what came stays.
    }
    if (trace.current === own) setIsOn(false);
  };
  return { turns, isOn, start: () => void start(), stop };
}

async function* traced(path: string, signal: AbortSignal): AsyncGenerator<TurnRecord> {
  const answer = await fetch(path, { signal });
  if (!answer.ok || !answer.body) return;
  const reader = answer.body.pipeThrough(new TextDecoderStream()).getReader();
  let rest = "";
  for (let part = await reader.read(); !part.done; part = await reader.read()) {
    const lines = (rest + part.value).split("\n");
    rest = lines.pop() ?? "";
    for (const line of lines) {
      const { turn } = JSON.parse(line) as { turn?: TurnRecord };
      if (turn) yield turn;
    }
  }
}
