/** Settings › Messengers: all connections of the organization. */
import { useAnswer } from "../../house/queries";
import { whichOf } from "../../house/questions";
import { messengers as words } from "../../messages/en/messengers";
import { messages } from "../../messages/messages";
import { CONNECTIONS } from "../../questions";
import { Listing } from "./listing";

export default function Messengers() {
  const teams = useAnswer("team.list", {}).answer?.teams;
  const members = useAnswer("member.list", { limit: 200 }).answer?.members;
  return (
    <Listing
      path="/app/settings/messengers"
      crumb={messages.nav.settings}
      about={words.about}
      which={whichOf(CONNECTIONS)}
      names={{ teams, members }}
    />
  );
}
