/** Pages for when there is no screen to show: nothing there, or no right to it. They are loaded when one is. */
import { leaveFor, to } from "../house/address";
import { organization, type Permission, session } from "../house/boot";
import { noScreen as words } from "../messages/en/no_screen";
import { permissions } from "../messages/en/permissions";
import { messages, say } from "../messages/messages";
import { Button, LinkButton } from "../parts/button";
import { Notice } from "../parts/failure";
import { START } from "./match";

export function NotFound() {
  return (
    <Notice
      page
      icon="search"
      title={messages.pages.notFound}
      body={messages.pages.notFoundBody}
      action={<LinkButton href={to(START)}>{messages.pages.toStart}</LinkButton>}
    />
  );
}

/** The address names an organization in which the person is not, or they are in none. */
export function NoOrganization() {
  const { person, organizations = [] } = session.value ?? {};
  return (
    <main class="way-in" id="content">
      <div class="card-way-in">
        <h1>{words.noOrganization}</h1>
        <p class="soft">{words.noOrganizationBody}</p>
        <div class="stack">
          {organizations.map(({ id, name }) => (
            <Button key={id} onClick={() => leaveFor(id === person?.homeOrganizationId ? "/app/" : `/app/?org=${id}`)}>
              <bdi>{name}</bdi>
            </Button>
          ))}
        </div>
      </div>
    </main>
  );
}

/** The person's role lacks *permission*: says so, and who can give it. */
export function NoRight({ permission }: { permission: Permission }) {
  const body = say(words.noRightBody, {
    permission: permissions[permission],
    organization: organization?.name ?? "",
  });
  return (
    <Notice
      page
      icon="lock"
      title={words.noRight}
      body={body}
      action={<LinkButton href={to(START)}>{messages.pages.toStart}</LinkButton>}
    />
  );
}
