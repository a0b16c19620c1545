/** Account › Apps: what one has allowed oneself, in this organization. */
import { Page } from "../../frame/page";
import { session } from "../../house/boot";
import { useAnswer } from "../../house/queries";
import { apps as words } from "../../messages/en/apps";
import { messages } from "../../messages/messages";
import { Address } from "../keys/apps";
import { GrantTable } from "../keys/grant_table";

export default function OwnApps() {
  const asked = useAnswer("grant.list", {});
  const own = asked.answer?.grants.filter((grant) => grant.personId === session.value?.person.id);
  return (
    <Page title={words.own} crumbs={[messages.sections.account]} about={words.aboutOwn} wide>
      <Address />
      <div class="section">
        <GrantTable label={words.own} rows={own} asked={asked} />
      </div>
    </Page>
  );
}
