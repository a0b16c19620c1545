/** Account › Messengers: one's own accounts, which nobody else answers from. */
import { whichOf } from "../../house/questions";
import { messengers as words } from "../../messages/en/messengers";
import { messages } from "../../messages/messages";
import { OWN_CONNECTIONS } from "../../questions";
import { Listing } from "./listing";

export default function OwnMessengers() {
  return (
    <Listing
      path="/app/account/messengers"
      crumb={messages.sections.account}
      about={words.ownAbout}
      which={whichOf(OWN_CONNECTIONS)}
      names={{ teams: [], members: [] }}
      isOwn
    />
  );
}
