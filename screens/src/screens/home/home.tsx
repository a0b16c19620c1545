/** Home: what waits, first steps, how it goes, and what was just done. */
import { Page } from "../../frame/page";
import { session } from "../../house/boot";
import { formatToday } from "../../house/formats";
import { dayPart } from "../../house/greeting";
import { useAnswer } from "../../house/queries";
import { home as words } from "../../messages/en/home";
import { say } from "../../messages/messages";
import { Failure } from "../../parts/failure";
import { Skeleton } from "../../parts/states";
import { Recent } from "./recent";
import { FirstSteps } from "./steps";
import { Waiting } from "./waiting";
import { Weeks } from "./weeks";
import "../../styles/home.css";

export default function Home() {
  const { answer, problem, query } = useAnswer("home.get", {});
  return (
    <Page title={greeting()} about={formatToday()} wide>
      {answer ? (
        <div class="home">
          <Waiting things={answer.waiting} />
          {answer.firstSteps && <FirstSteps steps={answer.firstSteps} />}
          <Weeks weeks={answer.weeks} />
          <Recent acts={answer.recent} />
        </div>
      ) : problem ? (
        <Failure problem={problem} again={() => void query.again()} />
      ) : (
        <Skeleton height={64} />
      )}
    </Page>
  );
}

function greeting(): string {
  const part = dayPart();
  const name = session.value?.person.name.trim().split(/\s+/)[0];
  return name ? say(words.greetings[part], { name }) : words.greetingsAlone[part];
}
