/** Schedules as people say them, and as the five fields of cron. */

export type Often = "hour" | "day" | "weekdays" | "week" | "month" | "cron";

export interface Schedule {
  often: Often;
  minute: number;
  hour: number;
  /** 0 is Sunday. */
  day: number;
  dayOfMonth: number;
  cron: string;
}

const NUMBER = /^\d{1,2}$/;

/** What *cron* says; `cron` where it is none of the common ones. */
export function scheduleOf(cron: string): Schedule {
  const [minute = "", hour = "", dayOfMonth = "", month = "", day = "", ...more] = cron.split(" ");
  const schedule: Schedule = { often: "cron", minute: 0, hour: 9, day: 1, dayOfMonth: 1, cron };
  if (more.length > 0 || month !== "*" || !NUMBER.test(minute)) return schedule;
  const at = { ...schedule, minute: Number(minute) };
  if (hour === "*" && dayOfMonth === "*" && day === "*") return sure({ ...at, often: "hour" }, schedule);
  if (!NUMBER.test(hour)) return schedule;
  const timed = { ...at, hour: Number(hour) };
  if (dayOfMonth === "*" && day === "*") return sure({ ...timed, often: "day" }, schedule);
  if (dayOfMonth === "*" && day === "1-5") return sure({ ...timed, often: "weekdays" }, schedule);
  if (dayOfMonth === "*" && /^[0-6]$/.test(day)) return sure({ ...timed, often: "week", day: Number(day) }, schedule);
  if (NUMBER.test(dayOfMonth) && day === "*") return sure({ ...timed, often: "month", dayOfMonth: Number(dayOfMonth) }, schedule);
  return schedule;
}

/** *found*, if it is written as here: `07` is left as it is. */
const sure = (found: Schedule, otherwise: Schedule) => (cronOf(found) === found.cron ? found : otherwise);

export function cronOf({ often, minute, hour, day, dayOfMonth, cron }: Schedule): string {
  switch (often) {
    case "hour":
      return `${minute} * * * *`;
    case "day":
      return `${minute} ${hour} * * *`;
    case "weekdays":
      return `${minute} ${hour} * * 1-5`;
    case "week":
      return `${minute} ${hour} * * ${day}`;
    case "month":
      return `${minute} ${hour} ${dayOfMonth} * *`;
    case "cron":
      return cron;
  }
}

/** Seconds in the largest unit in which they are whole. */
export type Unit = "seconds" | "minutes" | "hours" | "days";
export const UNITS: Readonly<Record<Unit, number>> = { seconds: 1, minutes: 60, hours: 3_600, days: 86_400 };

export function unitOf(seconds: number): Unit {
  const whole = (["days", "hours", "minutes"] as const).find((unit) => seconds > 0 && seconds % UNITS[unit] === 0);
  return whole ?? "seconds";
}
