/** What a browser calls itself, in words that people know. A guess: it says so nowhere, and nothing rests on it. */
import { waysIn } from "../../messages/en/ways_in";
import { say } from "../../messages/messages";

const BROWSERS: readonly [RegExp, string][] = [
  [/Edg\//, "Edge"],
  [/OPR\//, "Opera"],
  [/Firefox\/|FxiOS\//, "Firefox"],
  [/Chrome\/|CriOS\//, "Chrome"],
  [/Version\/.*Safari\//, "Safari"],
];
const SYSTEMS: readonly [RegExp, string][] = [
  [/iPhone|iPad/, "iOS"],
  [/Android/, "Android"],
  [/Windows/, "Windows"],
  [/Mac OS X/, "macOS"],
  [/CrOS/, "ChromeOS"],
  [/Linux/, "Linux"],
];

const first = (names: readonly [RegExp, string][], text: string) => names.find(([sign]) => sign.test(text))?.[1];

export function browserOf(userAgent: string): string {
  const browser = first(BROWSERS, userAgent);
  const system = first(SYSTEMS, userAgent);
  if (browser && system) return say(waysIn.sessions.on, { browser, system });
  return browser ?? (userAgent.slice(0, 60) || waysIn.sessions.unknown);
}
