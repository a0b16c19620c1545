CREATE TABLE alembic_version (
	version_num VARCHAR(32) NOT NULL, 
	CONSTRAINT alembic_version_pkc PRIMARY KEY (version_num)
);

CREATE TABLE visitor_keys (
	day INTEGER NOT NULL, 
	"key" BLOB NOT NULL, 
	CONSTRAINT pk_visitor_keys PRIMARY KEY (day)
);

CREATE TABLE objects (
	id TEXT NOT NULL, 
	organization_id TEXT NOT NULL, 
	slug TEXT NOT NULL, 
	label TEXT NOT NULL, 
	label_plural TEXT NOT NULL, 
	publishable BOOLEAN NOT NULL, 
	created_at BIGINT NOT NULL, version INTEGER DEFAULT '1' NOT NULL, duplicates_state TEXT, duplicates_cursor TEXT, 
	CONSTRAINT pk_objects PRIMARY KEY (id), 
	CONSTRAINT fk_objects_organization_id FOREIGN KEY(organization_id) REFERENCES organizations (id), 
	CONSTRAINT uq_objects_organization_id_slug UNIQUE (organization_id, slug)
);

CREATE TABLE server_keys (
	id TEXT NOT NULL, 
	organization_id TEXT NOT NULL, 
	name TEXT NOT NULL, 
	digest TEXT NOT NULL, 
	visible_start TEXT NOT NULL, 
	created_at BIGINT NOT NULL, 
	expires_at BIGINT NOT NULL, 
	revoked_at BIGINT, 
	CONSTRAINT pk_server_keys PRIMARY KEY (id), 
	CONSTRAINT fk_server_keys_organization_id FOREIGN KEY(organization_id) REFERENCES organizations (id), 
	CONSTRAINT uq_server_keys_digest UNIQUE (digest)
);

CREATE INDEX ix_server_keys_organization_id ON server_keys (organization_id);

CREATE TABLE sites (
	id TEXT NOT NULL, 
	organization_id TEXT NOT NULL, 
	domain TEXT NOT NULL, 
	created_at BIGINT NOT NULL, 
	removed_at BIGINT, last_view_at BIGINT, 
	CONSTRAINT pk_sites PRIMARY KEY (id), 
	CONSTRAINT fk_sites_organization_id FOREIGN KEY(organization_id) REFERENCES organizations (id)
);

CREATE INDEX ix_sites_domain ON sites (domain);

CREATE INDEX ix_sites_organization_id ON sites (organization_id);

CREATE TABLE forms (
	id TEXT NOT NULL, 
	organization_id TEXT NOT NULL, 
	site_id TEXT, 
	name TEXT NOT NULL, 
	form_key TEXT NOT NULL, 
	status TEXT NOT NULL, 
	field_map TEXT NOT NULL, 
	deal_title TEXT, 
	honeypot TEXT, 
	created_at BIGINT NOT NULL, 
	updated_at BIGINT NOT NULL, version INTEGER DEFAULT '1' NOT NULL, 
	CONSTRAINT pk_forms PRIMARY KEY (id), 
	CONSTRAINT fk_forms_organization_id FOREIGN KEY(organization_id) REFERENCES organizations (id), 
	CONSTRAINT fk_forms_site_id FOREIGN KEY(site_id) REFERENCES sites (id), 
	CONSTRAINT uq_forms_form_key UNIQUE (form_key)
);

CREATE INDEX ix_forms_organization_id ON forms (organization_id);

CREATE TABLE identities (
	organization_id TEXT NOT NULL, 
	kind TEXT NOT NULL, 
	value TEXT NOT NULL, 
	record_id TEXT NOT NULL, 
	CONSTRAINT fk_identities_organization_id FOREIGN KEY(organization_id) REFERENCES organizations (id), 
	CONSTRAINT fk_identities_record_id FOREIGN KEY(record_id) REFERENCES records (id)
);

CREATE INDEX ix_identities_record_id ON identities (record_id);

CREATE UNIQUE INDEX pk_identities ON identities (organization_id, kind, value, record_id);

CREATE TABLE submissions (
	id TEXT NOT NULL, 
	organization_id TEXT NOT NULL, 
	form_id TEXT NOT NULL, 
	state TEXT NOT NULL, 
	received_at BIGINT NOT NULL, 
	sender TEXT NOT NULL, 
	visitors TEXT, 
	email TEXT, 
	phone TEXT, 
	name TEXT, 
	fields TEXT NOT NULL, 
	recognised TEXT NOT NULL, 
	mapped TEXT NOT NULL, 
	dropped INTEGER NOT NULL, 
	queued_at BIGINT, 
	paced_at BIGINT, 
	filed_at BIGINT, 
	filed_by TEXT, 
	held_reason TEXT, 
	candidates TEXT, 
	contact_id TEXT, 
	deal_id TEXT, discarded_from TEXT, discarded_at BIGINT, discarded_by TEXT, restored_at BIGINT, 
	CONSTRAINT pk_submissions PRIMARY KEY (id), 
	CONSTRAINT fk_submissions_contact_id FOREIGN KEY(contact_id) REFERENCES records (id), 
	CONSTRAINT fk_submissions_deal_id FOREIGN KEY(deal_id) REFERENCES records (id), 
	CONSTRAINT fk_submissions_form_id FOREIGN KEY(form_id) REFERENCES forms (id), 
	CONSTRAINT fk_submissions_organization_id FOREIGN KEY(organization_id) REFERENCES organizations (id)
);

CREATE INDEX ix_submissions_due ON submissions (organization_id, state, id) WHERE state = 'due';

CREATE INDEX ix_submissions_form_id_id ON submissions (form_id, id);

CREATE INDEX ix_submissions_queued ON submissions (form_id, state, id) WHERE state = 'queued';

CREATE TABLE visits (
	id TEXT NOT NULL, 
	organization_id TEXT NOT NULL, 
	site_id TEXT NOT NULL, 
	visitor TEXT NOT NULL, 
	url TEXT NOT NULL, 
	referrer TEXT, 
	title TEXT, 
	at BIGINT NOT NULL, 
	record_id TEXT, 
	CONSTRAINT pk_visits PRIMARY KEY (id), 
	CONSTRAINT fk_visits_organization_id FOREIGN KEY(organization_id) REFERENCES organizations (id), 
	CONSTRAINT fk_visits_record_id FOREIGN KEY(record_id) REFERENCES records (id), 
	CONSTRAINT fk_visits_site_id FOREIGN KEY(site_id) REFERENCES sites (id)
);

CREATE INDEX ix_visits_organization_id_visitor ON visits (organization_id, visitor);

CREATE INDEX ix_visits_record_id ON visits (record_id) WHERE record_id IS NOT NULL;

CREATE TABLE notes (
	id TEXT NOT NULL, 
	organization_id TEXT NOT NULL, 
	record_id TEXT NOT NULL, 
	title TEXT NOT NULL, 
	body TEXT NOT NULL, 
	submission_id TEXT, 
	created_at BIGINT NOT NULL, source TEXT, 
	CONSTRAINT pk_notes PRIMARY KEY (id), 
	CONSTRAINT fk_notes_organization_id FOREIGN KEY(organization_id) REFERENCES organizations (id), 
	CONSTRAINT fk_notes_record_id FOREIGN KEY(record_id) REFERENCES records (id), 
	CONSTRAINT fk_notes_submission_id FOREIGN KEY(submission_id) REFERENCES submissions (id)
);

CREATE INDEX ix_notes_record_id_id ON notes (record_id, id);

CREATE TABLE suggestions (
	id TEXT NOT NULL, 
	organization_id TEXT NOT NULL, 
	record_id TEXT NOT NULL, 
	property TEXT NOT NULL, 
	value TEXT NOT NULL, 
	submission_id TEXT, 
	state TEXT NOT NULL, 
	created_at BIGINT NOT NULL, 
	decided_at BIGINT, 
	CONSTRAINT pk_suggestions PRIMARY KEY (id), 
	CONSTRAINT fk_suggestions_organization_id FOREIGN KEY(organization_id) REFERENCES organizations (id), 
	CONSTRAINT fk_suggestions_record_id FOREIGN KEY(record_id) REFERENCES records (id), 
	CONSTRAINT fk_suggestions_submission_id FOREIGN KEY(submission_id) REFERENCES submissions (id)
);

CREATE INDEX ix_suggestions_record_id_state ON suggestions (record_id, state);

CREATE TABLE record_changes (
	id TEXT NOT NULL, 
	organization_id TEXT NOT NULL, 
	record_id TEXT NOT NULL, 
	kind TEXT NOT NULL, 
	at BIGINT NOT NULL, 
	changed TEXT NOT NULL, 
	source TEXT NOT NULL, version INTEGER, 
	CONSTRAINT pk_record_changes PRIMARY KEY (id), 
	CONSTRAINT fk_record_changes_organization_id FOREIGN KEY(organization_id) REFERENCES organizations (id), 
	CONSTRAINT fk_record_changes_record_id FOREIGN KEY(record_id) REFERENCES records (id)
);

CREATE INDEX ix_record_changes_record_id_id ON record_changes (record_id, id);

CREATE TABLE record_keys (
	property_id TEXT NOT NULL, 
	record_id TEXT NOT NULL, 
	"key" BLOB NOT NULL, 
	CONSTRAINT pk_record_keys PRIMARY KEY (property_id, record_id), 
	CONSTRAINT fk_record_keys_property_id FOREIGN KEY(property_id) REFERENCES properties (id), 
	CONSTRAINT fk_record_keys_record_id FOREIGN KEY(record_id) REFERENCES records (id)
)
 WITHOUT ROWID

;

CREATE INDEX ix_record_keys_key ON record_keys (property_id, "key", record_id);

CREATE TABLE relations (
	target_id TEXT NOT NULL, 
	property_id TEXT NOT NULL, 
	record_id TEXT NOT NULL, 
	CONSTRAINT pk_relations PRIMARY KEY (target_id, property_id, record_id), 
	CONSTRAINT fk_relations_property_id FOREIGN KEY(property_id) REFERENCES properties (id), 
	CONSTRAINT fk_relations_record_id FOREIGN KEY(record_id) REFERENCES records (id), 
	CONSTRAINT fk_relations_target_id FOREIGN KEY(target_id) REFERENCES records (id)
)
 WITHOUT ROWID

;

CREATE INDEX ix_relations_record_id ON relations (record_id);

CREATE TABLE search_texts (
	id INTEGER NOT NULL, 
	record_id TEXT NOT NULL, 
	words TEXT NOT NULL, 
	CONSTRAINT pk_search_texts PRIMARY KEY (id), 
	CONSTRAINT fk_search_texts_record_id FOREIGN KEY(record_id) REFERENCES records (id), 
	CONSTRAINT uq_search_texts_record_id UNIQUE (record_id)
);

CREATE TABLE unique_values (
	property_id TEXT NOT NULL, 
	value TEXT NOT NULL, 
	record_id TEXT NOT NULL, 
	CONSTRAINT pk_unique_values PRIMARY KEY (property_id, value), 
	CONSTRAINT fk_unique_values_property_id FOREIGN KEY(property_id) REFERENCES properties (id), 
	CONSTRAINT fk_unique_values_record_id FOREIGN KEY(record_id) REFERENCES records (id)
)
 WITHOUT ROWID

;

CREATE INDEX ix_unique_values_record_id ON unique_values (record_id);

CREATE TABLE "properties" (
	id TEXT NOT NULL, 
	organization_id TEXT NOT NULL, 
	object_id TEXT NOT NULL, 
	slug TEXT NOT NULL, 
	label TEXT NOT NULL, 
	type TEXT NOT NULL, 
	options TEXT NOT NULL, 
	personal BOOLEAN NOT NULL, 
	position INTEGER NOT NULL, 
	created_at BIGINT NOT NULL, 
	unique_values BOOLEAN DEFAULT 0 NOT NULL, 
	index_state TEXT, 
	index_cursor TEXT, 
	deleted_at BIGINT, version INTEGER DEFAULT '1' NOT NULL, 
	CONSTRAINT pk_properties PRIMARY KEY (id), 
	CONSTRAINT uq_properties_object_id_slug UNIQUE (object_id, slug), 
	CONSTRAINT fk_properties_organization_id FOREIGN KEY(organization_id) REFERENCES organizations (id), 
	CONSTRAINT fk_properties_object_id FOREIGN KEY(object_id) REFERENCES objects (id)
);

CREATE TABLE "records" (
	id TEXT NOT NULL, 
	organization_id TEXT NOT NULL, 
	object_id TEXT NOT NULL, 
	properties TEXT NOT NULL, 
	created_at BIGINT NOT NULL, 
	updated_at BIGINT NOT NULL, 
	deleted_at BIGINT, 
	merged_into TEXT, version INTEGER DEFAULT '1' NOT NULL, 
	CONSTRAINT pk_records PRIMARY KEY (id), 
	CONSTRAINT fk_records_object_id FOREIGN KEY(object_id) REFERENCES objects (id), 
	CONSTRAINT fk_records_organization_id FOREIGN KEY(organization_id) REFERENCES organizations (id), 
	CONSTRAINT fk_records_merged_into FOREIGN KEY(merged_into) REFERENCES records (id)
);

CREATE INDEX ix_records_created_at ON records (object_id, created_at, id) WHERE deleted_at IS NULL;

CREATE INDEX ix_records_merged_into ON records (merged_into) WHERE merged_into IS NOT NULL;

CREATE INDEX ix_records_updated_at ON records (object_id, updated_at, id) WHERE deleted_at IS NULL;

CREATE INDEX ix_submissions_contact_id ON submissions (contact_id) WHERE contact_id IS NOT NULL;

CREATE VIRTUAL TABLE search_index USING fts5(words, content='search_texts', content_rowid='id', detail=none, columnsize=0, tokenize='ascii', prefix='11');

CREATE TABLE sign_in_failures (
	id TEXT NOT NULL, 
	account TEXT NOT NULL, 
	address TEXT NOT NULL, 
	at BIGINT NOT NULL, 
	CONSTRAINT pk_sign_in_failures PRIMARY KEY (id)
);

CREATE INDEX ix_sign_in_failures_at ON sign_in_failures (at);

CREATE TABLE roles (
	id TEXT NOT NULL, 
	organization_id TEXT NOT NULL, 
	name TEXT NOT NULL, 
	permissions TEXT NOT NULL, 
	created_at BIGINT NOT NULL, 
	updated_at BIGINT NOT NULL, version INTEGER DEFAULT '1' NOT NULL, 
	CONSTRAINT pk_roles PRIMARY KEY (id), 
	CONSTRAINT fk_roles_organization_id FOREIGN KEY(organization_id) REFERENCES organizations (id), 
	CONSTRAINT uq_roles_organization_id_name UNIQUE (organization_id, name)
);

CREATE TABLE teams (
	id TEXT NOT NULL, 
	organization_id TEXT NOT NULL, 
	name TEXT NOT NULL, 
	created_at BIGINT NOT NULL, 
	CONSTRAINT pk_teams PRIMARY KEY (id), 
	CONSTRAINT fk_teams_organization_id FOREIGN KEY(organization_id) REFERENCES organizations (id), 
	CONSTRAINT uq_teams_organization_id_name UNIQUE (organization_id, name)
);

CREATE TABLE api_keys (
	id TEXT NOT NULL, 
	organization_id TEXT NOT NULL, 
	creator_id TEXT NOT NULL, 
	name TEXT NOT NULL, 
	digest TEXT NOT NULL, 
	visible_start TEXT NOT NULL, 
	role_id TEXT NOT NULL, 
	tools TEXT, 
	limited_to TEXT, 
	created_at BIGINT NOT NULL, 
	expires_at BIGINT NOT NULL, 
	revoked_at BIGINT, 
	last_used_at BIGINT, monthly_budget_micro_credits BIGINT, models TEXT, life_ms BIGINT DEFAULT '0' NOT NULL, 
	CONSTRAINT pk_api_keys PRIMARY KEY (id), 
	CONSTRAINT fk_api_keys_creator_id FOREIGN KEY(creator_id) REFERENCES people (id), 
	CONSTRAINT fk_api_keys_organization_id FOREIGN KEY(organization_id) REFERENCES organizations (id)
);

CREATE INDEX ix_api_keys_live ON api_keys (digest, expires_at, organization_id) WHERE revoked_at IS NULL;

CREATE INDEX ix_api_keys_organization_id_id ON api_keys (organization_id, id);

CREATE TABLE audit (
	id TEXT NOT NULL, 
	organization_id TEXT NOT NULL, 
	at BIGINT NOT NULL, 
	caller_kind TEXT NOT NULL, 
	caller_id TEXT NOT NULL, 
	person_id TEXT, 
	door TEXT NOT NULL, 
	action TEXT NOT NULL, 
	target TEXT, 
	outcome TEXT NOT NULL, 
	reason TEXT, 
	request_id TEXT, asked_by TEXT, 
	CONSTRAINT pk_audit PRIMARY KEY (id), 
	CONSTRAINT fk_audit_organization_id FOREIGN KEY(organization_id) REFERENCES organizations (id), 
	CONSTRAINT fk_audit_person_id FOREIGN KEY(person_id) REFERENCES people (id)
);

CREATE INDEX ix_audit_organization_id_id ON audit (organization_id, id);

CREATE INDEX ix_audit_organization_id_person_id_id ON audit (organization_id, person_id, id);

CREATE TABLE invitations (
	id TEXT NOT NULL, 
	organization_id TEXT NOT NULL, 
	email TEXT NOT NULL, 
	role_id TEXT NOT NULL, 
	team_ids TEXT NOT NULL, 
	digest TEXT NOT NULL, 
	invited_by TEXT, 
	created_at BIGINT NOT NULL, 
	expires_at BIGINT NOT NULL, 
	accepted_at BIGINT, mailed_digest TEXT, 
	CONSTRAINT pk_invitations PRIMARY KEY (id), 
	CONSTRAINT fk_invitations_invited_by FOREIGN KEY(invited_by) REFERENCES people (id), 
	CONSTRAINT fk_invitations_organization_id FOREIGN KEY(organization_id) REFERENCES organizations (id), 
	CONSTRAINT uq_invitations_digest UNIQUE (digest)
);

CREATE INDEX ix_invitations_organization_id_email ON invitations (organization_id, email);

CREATE TABLE members (
	organization_id TEXT NOT NULL, 
	person_id TEXT NOT NULL, 
	role_id TEXT NOT NULL, 
	status TEXT NOT NULL, 
	created_at BIGINT NOT NULL, 
	updated_at BIGINT NOT NULL, 
	CONSTRAINT pk_members PRIMARY KEY (organization_id, person_id), 
	CONSTRAINT fk_members_organization_id FOREIGN KEY(organization_id) REFERENCES organizations (id), 
	CONSTRAINT fk_members_person_id FOREIGN KEY(person_id) REFERENCES people (id)
);

CREATE INDEX ix_members_person_id ON members (person_id);

CREATE TABLE sessions (
	id TEXT NOT NULL, 
	person_id TEXT NOT NULL, 
	digest TEXT NOT NULL, 
	user_agent TEXT NOT NULL, 
	created_at BIGINT NOT NULL, 
	confirmed_at BIGINT NOT NULL, 
	seen_at BIGINT NOT NULL, 
	expires_at BIGINT NOT NULL, 
	revoked_at BIGINT, last_address TEXT, 
	CONSTRAINT pk_sessions PRIMARY KEY (id), 
	CONSTRAINT fk_sessions_person_id FOREIGN KEY(person_id) REFERENCES people (id), 
	CONSTRAINT uq_sessions_digest UNIQUE (digest)
);

CREATE INDEX ix_sessions_person_id ON sessions (person_id);

CREATE TABLE sign_in_links (
	digest TEXT NOT NULL, 
	person_id TEXT NOT NULL, 
	created_at BIGINT NOT NULL, 
	expires_at BIGINT NOT NULL, 
	used_at BIGINT, 
	CONSTRAINT pk_sign_in_links PRIMARY KEY (digest), 
	CONSTRAINT fk_sign_in_links_person_id FOREIGN KEY(person_id) REFERENCES people (id)
);

CREATE TABLE team_members (
	organization_id TEXT NOT NULL, 
	team_id TEXT NOT NULL, 
	person_id TEXT NOT NULL, 
	CONSTRAINT pk_team_members PRIMARY KEY (team_id, person_id), 
	CONSTRAINT fk_team_members_organization_id FOREIGN KEY(organization_id) REFERENCES organizations (id), 
	CONSTRAINT fk_team_members_person_id FOREIGN KEY(person_id) REFERENCES people (id), 
	CONSTRAINT fk_team_members_team_id FOREIGN KEY(team_id) REFERENCES teams (id)
);

CREATE INDEX ix_team_members_organization_id_person_id ON team_members (organization_id, person_id);

CREATE TABLE "organizations" (
	id TEXT NOT NULL, 
	name TEXT NOT NULL, 
	country TEXT NOT NULL, 
	currency TEXT NOT NULL, 
	locale TEXT NOT NULL, 
	time_zone TEXT NOT NULL, 
	"plan" TEXT NOT NULL, 
	trial_ends_at BIGINT, 
	marketing_hub BOOLEAN NOT NULL, 
	created_at BIGINT NOT NULL, 
	closed_at BIGINT, 
	allow_keys_elsewhere BOOLEAN DEFAULT 0 NOT NULL, version INTEGER DEFAULT '1' NOT NULL, own_provider_falls_back_to_credits BOOLEAN DEFAULT 0 NOT NULL, members_may_connect_apps BOOLEAN DEFAULT 0 NOT NULL, 
	CONSTRAINT pk_organizations PRIMARY KEY (id)
);

CREATE INDEX ix_submissions_held ON submissions (form_id, state, id) WHERE state = 'held';

CREATE INDEX ix_properties_building ON properties (organization_id) WHERE index_state = 'building';

CREATE INDEX ix_suggestions_organization_id_state_id ON suggestions (organization_id, state, id);

CREATE TABLE embeds (
	id TEXT NOT NULL, 
	organization_id TEXT NOT NULL, 
	site_id TEXT, 
	name TEXT NOT NULL, 
	embed_key TEXT NOT NULL, 
	status TEXT NOT NULL, 
	blocks TEXT NOT NULL, 
	created_at BIGINT NOT NULL, 
	updated_at BIGINT NOT NULL, version INTEGER DEFAULT '1' NOT NULL, 
	CONSTRAINT pk_embeds PRIMARY KEY (id), 
	CONSTRAINT fk_embeds_organization_id FOREIGN KEY(organization_id) REFERENCES organizations (id), 
	CONSTRAINT fk_embeds_site_id FOREIGN KEY(site_id) REFERENCES sites (id), 
	CONSTRAINT uq_embeds_embed_key UNIQUE (embed_key)
);

CREATE INDEX ix_embeds_organization_id_id ON embeds (organization_id, id);

CREATE TABLE connections (
	id TEXT NOT NULL, 
	organization_id TEXT NOT NULL, 
	name TEXT NOT NULL, 
	account_kind TEXT NOT NULL, 
	account_id TEXT, 
	messenger TEXT NOT NULL, 
	delivery TEXT NOT NULL, 
	url TEXT, 
	contract TEXT NOT NULL, 
	status TEXT NOT NULL, 
	pause_reason TEXT, 
	health_state TEXT, 
	health_reason TEXT, 
	health_detail TEXT, 
	health_at BIGINT, 
	secret BLOB, 
	previous_secret BLOB, 
	previous_secret_until BIGINT, 
	created_at BIGINT NOT NULL, 
	updated_at BIGINT NOT NULL, 
	CONSTRAINT pk_connections PRIMARY KEY (id), 
	CONSTRAINT fk_connections_organization_id FOREIGN KEY(organization_id) REFERENCES organizations (id)
);

CREATE INDEX ix_connections_organization_id_id ON connections (organization_id, id);

CREATE TABLE channel_keys (
	id TEXT NOT NULL, 
	organization_id TEXT NOT NULL, 
	connection_id TEXT NOT NULL, 
	digest TEXT NOT NULL, 
	visible_start TEXT NOT NULL, 
	created_at BIGINT NOT NULL, 
	revoked_at BIGINT, last_used_at BIGINT, 
	CONSTRAINT pk_channel_keys PRIMARY KEY (id), 
	CONSTRAINT fk_channel_keys_connection_id FOREIGN KEY(connection_id) REFERENCES connections (id), 
	CONSTRAINT fk_channel_keys_organization_id FOREIGN KEY(organization_id) REFERENCES organizations (id)
);

CREATE INDEX ix_channel_keys_connection_id_id ON channel_keys (connection_id, id);

CREATE INDEX ix_channel_keys_live ON channel_keys (digest, connection_id, organization_id) WHERE revoked_at IS NULL;

CREATE TABLE conversations (
	id TEXT NOT NULL, 
	organization_id TEXT NOT NULL, 
	connection_id TEXT NOT NULL, 
	external_id TEXT NOT NULL, 
	kind TEXT NOT NULL, 
	title TEXT, 
	evidence TEXT NOT NULL, 
	contact_id TEXT, 
	held_reason TEXT, 
	candidates TEXT, 
	status TEXT NOT NULL, 
	member_id TEXT, 
	team_id TEXT, 
	created_at BIGINT NOT NULL, 
	last_message_at BIGINT NOT NULL, agent_silenced_at BIGINT, agent_silenced_by TEXT, agent_silencer TEXT, agent_reason TEXT, agent_reads_from TEXT, active_at BIGINT DEFAULT '0' NOT NULL, snoozed_until BIGINT, 
	CONSTRAINT pk_conversations PRIMARY KEY (id), 
	CONSTRAINT fk_conversations_connection_id FOREIGN KEY(connection_id) REFERENCES connections (id), 
	CONSTRAINT fk_conversations_contact_id FOREIGN KEY(contact_id) REFERENCES records (id), 
	CONSTRAINT fk_conversations_member_id FOREIGN KEY(member_id) REFERENCES people (id), 
	CONSTRAINT fk_conversations_organization_id FOREIGN KEY(organization_id) REFERENCES organizations (id), 
	CONSTRAINT fk_conversations_team_id FOREIGN KEY(team_id) REFERENCES teams (id), 
	CONSTRAINT uq_conversations_connection_id_external_id UNIQUE (connection_id, external_id)
);

CREATE INDEX ix_conversations_contact_id ON conversations (contact_id) WHERE contact_id IS NOT NULL;

CREATE TABLE messages (
	id TEXT NOT NULL, 
	organization_id TEXT NOT NULL, 
	connection_id TEXT NOT NULL, 
	conversation_id TEXT NOT NULL, 
	direction TEXT NOT NULL, 
	external_id TEXT, 
	sender TEXT, 
	author_kind TEXT, 
	author_id TEXT, 
	author_name TEXT, 
	text TEXT, 
	attachments TEXT, 
	reply_to TEXT, 
	sent_at BIGINT, 
	created_at BIGINT NOT NULL, 
	CONSTRAINT pk_messages PRIMARY KEY (id), 
	CONSTRAINT fk_messages_connection_id FOREIGN KEY(connection_id) REFERENCES connections (id), 
	CONSTRAINT fk_messages_conversation_id FOREIGN KEY(conversation_id) REFERENCES conversations (id), 
	CONSTRAINT fk_messages_organization_id FOREIGN KEY(organization_id) REFERENCES organizations (id), 
	CONSTRAINT uq_messages_connection_id_conversation_id_external_id UNIQUE (connection_id, conversation_id, external_id)
);

CREATE INDEX ix_messages_conversation_id_id ON messages (conversation_id, id);

CREATE TABLE replies (
	id TEXT NOT NULL, 
	organization_id TEXT NOT NULL, 
	connection_id TEXT NOT NULL, 
	conversation_id TEXT NOT NULL, 
	message_id TEXT NOT NULL, 
	state TEXT NOT NULL, 
	expires_at BIGINT NOT NULL, 
	offer_at BIGINT NOT NULL, 
	attempts INTEGER NOT NULL, 
	lapses INTEGER NOT NULL, 
	push_failures INTEGER NOT NULL, 
	lease_id TEXT, 
	lease_expires_at BIGINT, 
	failure TEXT, 
	error TEXT, 
	created_at BIGINT NOT NULL, 
	changed_at BIGINT NOT NULL, sent_again_as TEXT, 
	CONSTRAINT pk_replies PRIMARY KEY (id), 
	CONSTRAINT fk_replies_connection_id FOREIGN KEY(connection_id) REFERENCES connections (id), 
	CONSTRAINT fk_replies_conversation_id FOREIGN KEY(conversation_id) REFERENCES conversations (id), 
	CONSTRAINT fk_replies_message_id FOREIGN KEY(message_id) REFERENCES messages (id), 
	CONSTRAINT fk_replies_organization_id FOREIGN KEY(organization_id) REFERENCES organizations (id), 
	CONSTRAINT uq_replies_message_id UNIQUE (message_id)
);

CREATE TABLE deliveries (
	id TEXT NOT NULL, 
	organization_id TEXT NOT NULL, 
	connection_id TEXT NOT NULL, 
	event TEXT NOT NULL, 
	reply_id TEXT, 
	attempts INTEGER NOT NULL, 
	attempted_at BIGINT, 
	status_code INTEGER, 
	error TEXT, 
	created_at BIGINT NOT NULL, 
	done_at BIGINT, milliseconds INTEGER, answer TEXT, 
	CONSTRAINT pk_deliveries PRIMARY KEY (id), 
	CONSTRAINT fk_deliveries_connection_id FOREIGN KEY(connection_id) REFERENCES connections (id), 
	CONSTRAINT fk_deliveries_organization_id FOREIGN KEY(organization_id) REFERENCES organizations (id), 
	CONSTRAINT fk_deliveries_reply_id FOREIGN KEY(reply_id) REFERENCES replies (id), 
	CONSTRAINT uq_deliveries_reply_id UNIQUE (reply_id)
);

CREATE INDEX ix_deliveries_connection_id_id ON deliveries (connection_id, id);

CREATE INDEX ix_deliveries_due ON deliveries (connection_id) WHERE done_at IS NULL AND reply_id IS NULL;

CREATE TABLE "idempotency" (
	caller_id TEXT NOT NULL, 
	tool TEXT NOT NULL, 
	"key" TEXT NOT NULL, 
	organization_id TEXT NOT NULL, 
	fingerprint BLOB NOT NULL, 
	answer BLOB NOT NULL, 
	created_at BIGINT NOT NULL, 
	CONSTRAINT pk_idempotency PRIMARY KEY (organization_id, caller_id, tool, "key"), 
	CONSTRAINT fk_idempotency_organization_id FOREIGN KEY(organization_id) REFERENCES organizations (id)
);

CREATE INDEX ix_idempotency_created_at ON idempotency (created_at);

CREATE TABLE clock_marks (
	name TEXT NOT NULL, 
	at BIGINT NOT NULL, 
	CONSTRAINT pk_clock_marks PRIMARY KEY (name)
);

CREATE INDEX ix_replies_ahead ON replies (conversation_id, id) WHERE state = 'waiting' OR lease_expires_at IS NOT NULL;

CREATE INDEX ix_replies_open ON replies (connection_id, id) WHERE state = 'waiting' OR lease_expires_at IS NOT NULL;

CREATE TABLE "people" (
	id TEXT NOT NULL, 
	email TEXT NOT NULL, 
	name TEXT NOT NULL, 
	password_hash TEXT, 
	home_organization_id TEXT NOT NULL, 
	created_at BIGINT NOT NULL, email_proven_at BIGINT, 
	CONSTRAINT pk_people PRIMARY KEY (id), 
	CONSTRAINT fk_people_home_organization_id FOREIGN KEY(home_organization_id) REFERENCES organizations (id), 
	CONSTRAINT uq_people_home_organization_id_email UNIQUE (home_organization_id, email)
);

CREATE INDEX ix_people_email ON people (email);

CREATE TABLE event_positions (
	organization_id TEXT NOT NULL, 
	newest BIGINT NOT NULL, pruned BIGINT DEFAULT '0' NOT NULL, 
	CONSTRAINT pk_event_positions PRIMARY KEY (organization_id), 
	CONSTRAINT fk_event_positions_organization_id FOREIGN KEY(organization_id) REFERENCES organizations (id)
);

CREATE TABLE "events" (
	id TEXT NOT NULL, 
	organization_id TEXT NOT NULL, 
	type TEXT NOT NULL, 
	at BIGINT NOT NULL, 
	data TEXT NOT NULL, 
	subject TEXT NOT NULL, 
	object_type TEXT, 
	depth INTEGER NOT NULL, 
	position BIGINT, 
	CONSTRAINT pk_events PRIMARY KEY (id), 
	CONSTRAINT fk_events_organization_id FOREIGN KEY(organization_id) REFERENCES organizations (id)
);

CREATE INDEX ix_events_undispatched ON events (organization_id, id) WHERE position IS NULL;

CREATE UNIQUE INDEX ix_events_position ON events (organization_id, position) WHERE position IS NOT NULL;

CREATE INDEX ix_events_dispatched_at ON events (at) WHERE position IS NOT NULL;

CREATE INDEX ix_record_changes_record_id_version ON record_changes (record_id, version);

CREATE TABLE webhooks (
	id TEXT NOT NULL, 
	organization_id TEXT NOT NULL, 
	name TEXT, 
	url TEXT NOT NULL, 
	events TEXT NOT NULL, 
	object_types TEXT NOT NULL, 
	active BOOLEAN NOT NULL, 
	disabled_reason TEXT, 
	failing_since BIGINT, 
	held_until BIGINT, 
	max_per_second INTEGER, 
	contract TEXT NOT NULL, 
	secret BLOB, 
	previous_secret BLOB, 
	previous_secret_until BIGINT, 
	ending TEXT, 
	version INTEGER NOT NULL, 
	created_at BIGINT NOT NULL, 
	updated_at BIGINT NOT NULL, 
	removed_at BIGINT, 
	CONSTRAINT pk_webhooks PRIMARY KEY (id), 
	CONSTRAINT fk_webhooks_organization_id FOREIGN KEY(organization_id) REFERENCES organizations (id)
);

CREATE INDEX ix_webhooks_ending ON webhooks (id) WHERE ending IS NOT NULL;

CREATE INDEX ix_webhooks_organization_id_id ON webhooks (organization_id, id) WHERE removed_at IS NULL;

CREATE TABLE webhook_deliveries (
	id TEXT NOT NULL, 
	organization_id TEXT NOT NULL, 
	webhook_id TEXT NOT NULL, 
	event_id TEXT, 
	type TEXT NOT NULL, 
	subject TEXT NOT NULL, 
	place BIGINT NOT NULL, 
	state TEXT NOT NULL, 
	is_first BOOLEAN NOT NULL, 
	next_attempt_at BIGINT, 
	attempts INTEGER NOT NULL, 
	failures INTEGER NOT NULL, 
	replayed BOOLEAN NOT NULL, 
	run_id TEXT, 
	call_key TEXT, 
	body TEXT, 
	created_at BIGINT NOT NULL, 
	done_at BIGINT, 
	CONSTRAINT pk_webhook_deliveries PRIMARY KEY (id), 
	CONSTRAINT fk_webhook_deliveries_organization_id FOREIGN KEY(organization_id) REFERENCES organizations (id), 
	CONSTRAINT fk_webhook_deliveries_webhook_id FOREIGN KEY(webhook_id) REFERENCES webhooks (id)
);

CREATE UNIQUE INDEX ix_webhook_deliveries_call ON webhook_deliveries (run_id, call_key) WHERE run_id IS NOT NULL;

CREATE INDEX ix_webhook_deliveries_done_at ON webhook_deliveries (done_at) WHERE done_at IS NOT NULL;

CREATE INDEX ix_webhook_deliveries_due ON webhook_deliveries (webhook_id, replayed, next_attempt_at, id) WHERE state = 'waiting' AND is_first;

CREATE UNIQUE INDEX ix_webhook_deliveries_event ON webhook_deliveries (event_id, webhook_id) WHERE event_id IS NOT NULL;

CREATE INDEX ix_webhook_deliveries_replayed ON webhook_deliveries (webhook_id, subject) WHERE state = 'waiting' AND replayed;

CREATE INDEX ix_webhook_deliveries_waiting ON webhook_deliveries (webhook_id, subject, place, id) WHERE state = 'waiting';

CREATE INDEX ix_webhook_deliveries_webhook_id_id ON webhook_deliveries (webhook_id, id);

CREATE TABLE webhook_attempts (
	delivery_id TEXT NOT NULL, 
	number INTEGER NOT NULL, 
	at BIGINT NOT NULL, 
	status_code INTEGER, 
	error TEXT, 
	milliseconds INTEGER NOT NULL, 
	answer TEXT NOT NULL, 
	CONSTRAINT pk_webhook_attempts PRIMARY KEY (delivery_id, number), 
	CONSTRAINT fk_webhook_attempts_delivery_id FOREIGN KEY(delivery_id) REFERENCES webhook_deliveries (id)
);

CREATE TABLE workflows (
	id TEXT NOT NULL, 
	organization_id TEXT NOT NULL, 
	name TEXT NOT NULL, 
	enabled BOOLEAN NOT NULL, 
	version INTEGER NOT NULL, 
	event_type TEXT, 
	enabled_at BIGINT, 
	enabler TEXT, 
	next_at BIGINT, 
	created_at BIGINT NOT NULL, 
	updated_at BIGINT NOT NULL, 
	deleted_at BIGINT, 
	CONSTRAINT pk_workflows PRIMARY KEY (id), 
	CONSTRAINT fk_workflows_organization_id FOREIGN KEY(organization_id) REFERENCES organizations (id)
);

CREATE INDEX ix_workflows_event_type ON workflows (organization_id, event_type) WHERE enabled AND event_type IS NOT NULL;

CREATE INDEX ix_workflows_next_at ON workflows (organization_id, next_at) WHERE next_at IS NOT NULL;

CREATE INDEX ix_workflows_organization_id_id ON workflows (organization_id, id);

CREATE TABLE workflow_bursts (
	workflow_id TEXT NOT NULL, 
	"key" TEXT NOT NULL, 
	organization_id TEXT NOT NULL, 
	first_at BIGINT NOT NULL, 
	due_at BIGINT NOT NULL, 
	event TEXT NOT NULL, 
	event_depth INTEGER NOT NULL, 
	CONSTRAINT pk_workflow_bursts PRIMARY KEY (workflow_id, "key"), 
	CONSTRAINT fk_workflow_bursts_organization_id FOREIGN KEY(organization_id) REFERENCES organizations (id), 
	CONSTRAINT fk_workflow_bursts_workflow_id FOREIGN KEY(workflow_id) REFERENCES workflows (id)
);

CREATE INDEX ix_workflow_bursts_due_at ON workflow_bursts (organization_id, due_at);

CREATE TABLE workflow_runs (
	id TEXT NOT NULL, 
	organization_id TEXT NOT NULL, 
	workflow_id TEXT NOT NULL, 
	version INTEGER NOT NULL, 
	started_by TEXT, 
	state TEXT NOT NULL, 
	reason TEXT, 
	depth INTEGER NOT NULL, 
	position TEXT, 
	wake_at BIGINT, 
	awaits TEXT, 
	awaited TEXT, 
	awaited_record TEXT, 
	attempts INTEGER NOT NULL, 
	event TEXT NOT NULL, 
	enabler TEXT NOT NULL, 
	started_at BIGINT NOT NULL, 
	ended_at BIGINT, record_id TEXT CONSTRAINT fk_workflow_runs_record_id REFERENCES records (id), 
	CONSTRAINT pk_workflow_runs PRIMARY KEY (id), 
	CONSTRAINT fk_workflow_runs_organization_id FOREIGN KEY(organization_id) REFERENCES organizations (id), 
	CONSTRAINT fk_workflow_runs_workflow_id FOREIGN KEY(workflow_id) REFERENCES workflows (id)
);

CREATE INDEX ix_workflow_runs_awaited ON workflow_runs (organization_id, awaited, awaited_record) WHERE awaited IS NOT NULL;

CREATE INDEX ix_workflow_runs_ended_at ON workflow_runs (ended_at) WHERE ended_at IS NOT NULL;

CREATE INDEX ix_workflow_runs_organization_id_id ON workflow_runs (organization_id, id);

CREATE INDEX ix_workflow_runs_organization_id_state_id ON workflow_runs (organization_id, state, id);

CREATE UNIQUE INDEX ix_workflow_runs_started_by ON workflow_runs (workflow_id, started_by);

CREATE INDEX ix_workflow_runs_wake_at ON workflow_runs (organization_id, wake_at) WHERE wake_at IS NOT NULL;

CREATE INDEX ix_workflow_runs_workflow_id_id ON workflow_runs (workflow_id, id);

CREATE INDEX ix_workflow_runs_workflow_id_version ON workflow_runs (workflow_id, version);

CREATE TABLE workflow_versions (
	workflow_id TEXT NOT NULL, 
	version INTEGER NOT NULL, 
	organization_id TEXT NOT NULL, 
	document TEXT NOT NULL, 
	created_at BIGINT NOT NULL, caller_kind TEXT, caller_id TEXT, person_id TEXT CONSTRAINT fk_workflow_versions_person_id REFERENCES people (id), 
	CONSTRAINT pk_workflow_versions PRIMARY KEY (workflow_id, version), 
	CONSTRAINT fk_workflow_versions_organization_id FOREIGN KEY(organization_id) REFERENCES organizations (id), 
	CONSTRAINT fk_workflow_versions_workflow_id FOREIGN KEY(workflow_id) REFERENCES workflows (id)
);

CREATE TABLE workflow_steps (
	run_id TEXT NOT NULL, 
	"key" TEXT NOT NULL, 
	n INTEGER NOT NULL, 
	type TEXT NOT NULL, 
	state TEXT NOT NULL, 
	input TEXT, 
	output TEXT, 
	error TEXT, 
	attempts INTEGER NOT NULL, 
	started_at BIGINT NOT NULL, 
	ended_at BIGINT, 
	CONSTRAINT pk_workflow_steps PRIMARY KEY (run_id, "key"), 
	CONSTRAINT fk_workflow_steps_run_id FOREIGN KEY(run_id) REFERENCES workflow_runs (id)
);

CREATE TABLE ai_calls (
	id TEXT NOT NULL, 
	organization_id TEXT NOT NULL, 
	key_id TEXT NOT NULL, 
	model TEXT NOT NULL, 
	provider TEXT, 
	payer TEXT NOT NULL, 
	streamed BOOLEAN NOT NULL, 
	process TEXT NOT NULL, 
	started_at BIGINT NOT NULL, 
	ended_at BIGINT, 
	ended TEXT, 
	reserved_micro_credits BIGINT, 
	budgeted_micro_credits BIGINT, 
	estimated BOOLEAN DEFAULT 0 NOT NULL, 
	prompt_tokens BIGINT DEFAULT '0' NOT NULL, 
	cached_tokens BIGINT DEFAULT '0' NOT NULL, 
	completion_tokens BIGINT DEFAULT '0' NOT NULL, 
	cost_micro_credits BIGINT DEFAULT '0' NOT NULL, 
	charged_micro_credits BIGINT DEFAULT '0' NOT NULL, 
	uncovered_micro_credits BIGINT DEFAULT '0' NOT NULL, 
	CONSTRAINT pk_ai_calls PRIMARY KEY (id), 
	CONSTRAINT fk_ai_calls_organization_id FOREIGN KEY(organization_id) REFERENCES organizations (id)
);

CREATE INDEX ix_ai_calls_open ON ai_calls (organization_id, id) WHERE ended_at IS NULL;

CREATE INDEX ix_ai_calls_organization_id_started_at ON ai_calls (organization_id, started_at);

CREATE TABLE ai_key_months (
	key_id TEXT NOT NULL, 
	month TEXT NOT NULL, 
	organization_id TEXT NOT NULL, 
	used_micro_credits BIGINT NOT NULL, 
	reserved_micro_credits BIGINT NOT NULL, 
	CONSTRAINT pk_ai_key_months PRIMARY KEY (key_id, month), 
	CONSTRAINT fk_ai_key_months_organization_id FOREIGN KEY(organization_id) REFERENCES organizations (id)
);

CREATE TABLE ai_providers (
	id TEXT NOT NULL, 
	organization_id TEXT NOT NULL, 
	name TEXT NOT NULL, 
	base_url TEXT NOT NULL, 
	sealed_key BLOB NOT NULL, 
	key_visible_end TEXT NOT NULL, 
	models TEXT NOT NULL, 
	created_at BIGINT NOT NULL, 
	updated_at BIGINT NOT NULL, 
	CONSTRAINT pk_ai_providers PRIMARY KEY (id), 
	CONSTRAINT fk_ai_providers_organization_id FOREIGN KEY(organization_id) REFERENCES organizations (id), 
	CONSTRAINT uq_ai_providers_organization_id_name UNIQUE (organization_id, name)
);

CREATE TABLE ai_restrictions (
	organization_id TEXT NOT NULL, 
	models TEXT NOT NULL, 
	updated_at BIGINT NOT NULL, 
	CONSTRAINT pk_ai_restrictions PRIMARY KEY (organization_id), 
	CONSTRAINT fk_ai_restrictions_organization_id FOREIGN KEY(organization_id) REFERENCES organizations (id)
);

CREATE TABLE ai_ledger (
	id TEXT NOT NULL, 
	organization_id TEXT NOT NULL, 
	at BIGINT NOT NULL, 
	kind TEXT NOT NULL, 
	amount BIGINT NOT NULL, 
	balance_after BIGINT NOT NULL, 
	call_id TEXT, 
	note TEXT, 
	CONSTRAINT pk_ai_ledger PRIMARY KEY (id), 
	CONSTRAINT ck_ai_ledger_kind CHECK (CASE kind WHEN 'grant' THEN amount > 0 AND call_id IS NULL WHEN 'reserve' THEN amount <= 0 AND call_id IS NOT NULL WHEN 'settle' THEN call_id IS NOT NULL ELSE 0 = 1 END), 
	CONSTRAINT ck_ai_ledger_balance CHECK (balance_after >= 0), 
	CONSTRAINT fk_ai_ledger_call_id FOREIGN KEY(call_id) REFERENCES ai_calls (id), 
	CONSTRAINT fk_ai_ledger_organization_id FOREIGN KEY(organization_id) REFERENCES organizations (id)
);

CREATE INDEX ix_ai_ledger_organization_id_id ON ai_ledger (organization_id, id);

CREATE UNIQUE INDEX ix_ai_ledger_reserve ON ai_ledger (call_id) WHERE kind = 'reserve';

CREATE UNIQUE INDEX ix_ai_ledger_settle ON ai_ledger (call_id) WHERE kind = 'settle';

CREATE TRIGGER ai_ledger_in_order BEFORE INSERT ON ai_ledger WHEN EXISTS (SELECT 1 FROM ai_ledger WHERE organization_id = NEW.organization_id AND id >= NEW.id) OR NEW.balance_after <> NEW.amount + coalesce((SELECT balance_after FROM ai_ledger WHERE organization_id = NEW.organization_id ORDER BY id DESC LIMIT 1), 0) BEGIN SELECT RAISE(ABORT, 'the entry does not follow the last one'); END;

CREATE TRIGGER ai_ledger_no_update BEFORE UPDATE ON ai_ledger BEGIN SELECT RAISE(ABORT, 'the ledger is append-only'); END;

CREATE TRIGGER ai_ledger_no_delete BEFORE DELETE ON ai_ledger BEGIN SELECT RAISE(ABORT, 'the ledger is append-only'); END;

CREATE TABLE approvals (
	id TEXT NOT NULL, 
	organization_id TEXT NOT NULL, 
	state TEXT NOT NULL, 
	tool TEXT, 
	input TEXT, 
	fingerprint BLOB, 
	reason TEXT NOT NULL, 
	asker_kind TEXT NOT NULL, 
	connection_id TEXT, 
	conversation_id TEXT, 
	workflow_id TEXT, 
	run_id TEXT NOT NULL, 
	created_at BIGINT NOT NULL, 
	expires_at BIGINT NOT NULL, 
	over_at BIGINT NOT NULL, 
	decided_by TEXT, 
	decided_at BIGINT, 
	answer TEXT, 
	error TEXT, 
	rejection_reason TEXT, 
	uncollected_since BIGINT, 
	CONSTRAINT pk_approvals PRIMARY KEY (id), 
	CONSTRAINT fk_approvals_connection_id FOREIGN KEY(connection_id) REFERENCES connections (id), 
	CONSTRAINT fk_approvals_conversation_id FOREIGN KEY(conversation_id) REFERENCES conversations (id), 
	CONSTRAINT fk_approvals_organization_id FOREIGN KEY(organization_id) REFERENCES organizations (id)
);

CREATE INDEX ix_approvals_organization_id_id ON approvals (organization_id, id);

CREATE INDEX ix_approvals_organization_id_state_id ON approvals (organization_id, state, id);

CREATE INDEX ix_approvals_waiting ON approvals (organization_id, asker_kind, over_at) WHERE state = 'waiting';

CREATE INDEX ix_approvals_conversation_id ON approvals (conversation_id) WHERE state = 'waiting';

CREATE INDEX ix_approvals_run_id ON approvals (run_id);

CREATE INDEX ix_approvals_over_at ON approvals (over_at);

CREATE INDEX ix_approvals_uncollected ON approvals (asker_kind, organization_id, uncollected_since) WHERE uncollected_since IS NOT NULL;

CREATE TABLE agent_days (
	connection_id TEXT NOT NULL, 
	day INTEGER NOT NULL, 
	organization_id TEXT NOT NULL, 
	charged_micro_credits BIGINT NOT NULL, 
	CONSTRAINT pk_agent_days PRIMARY KEY (connection_id, day), 
	CONSTRAINT fk_agent_days_connection_id FOREIGN KEY(connection_id) REFERENCES connections (id), 
	CONSTRAINT fk_agent_days_organization_id FOREIGN KEY(organization_id) REFERENCES organizations (id)
);

CREATE TABLE agents (
	connection_id TEXT NOT NULL, 
	organization_id TEXT NOT NULL, 
	enabled BOOLEAN NOT NULL, 
	instructions TEXT NOT NULL, 
	model TEXT NOT NULL, 
	role_id TEXT NOT NULL, 
	tools TEXT, 
	daily_micro_credits BIGINT NOT NULL, 
	set_by TEXT NOT NULL, 
	created_at BIGINT NOT NULL, 
	updated_at BIGINT NOT NULL, 
	CONSTRAINT pk_agents PRIMARY KEY (connection_id), 
	CONSTRAINT fk_agents_connection_id FOREIGN KEY(connection_id) REFERENCES connections (id), 
	CONSTRAINT fk_agents_organization_id FOREIGN KEY(organization_id) REFERENCES organizations (id), 
	CONSTRAINT fk_agents_set_by FOREIGN KEY(set_by) REFERENCES people (id)
);

CREATE TABLE agent_runs (
	id TEXT NOT NULL, 
	organization_id TEXT NOT NULL, 
	connection_id TEXT NOT NULL, 
	conversation_id TEXT NOT NULL, 
	state TEXT NOT NULL, 
	reason TEXT, 
	first_at BIGINT NOT NULL, 
	wake_at BIGINT, 
	worked_ms BIGINT NOT NULL, 
	charged_micro_credits BIGINT NOT NULL, 
	message_id TEXT, 
	created_at BIGINT NOT NULL, 
	started_at BIGINT, 
	ended_at BIGINT, 
	CONSTRAINT pk_agent_runs PRIMARY KEY (id), 
	CONSTRAINT fk_agent_runs_connection_id FOREIGN KEY(connection_id) REFERENCES connections (id), 
	CONSTRAINT fk_agent_runs_conversation_id FOREIGN KEY(conversation_id) REFERENCES conversations (id), 
	CONSTRAINT fk_agent_runs_message_id FOREIGN KEY(message_id) REFERENCES messages (id), 
	CONSTRAINT fk_agent_runs_organization_id FOREIGN KEY(organization_id) REFERENCES organizations (id)
);

CREATE INDEX ix_agent_runs_conversation_id_id ON agent_runs (conversation_id, id);

CREATE INDEX ix_agent_runs_ended_at ON agent_runs (ended_at) WHERE ended_at IS NOT NULL;

CREATE INDEX ix_agent_runs_message_id ON agent_runs (message_id) WHERE message_id IS NOT NULL;

CREATE UNIQUE INDEX ix_agent_runs_open ON agent_runs (conversation_id) WHERE ended_at IS NULL;

CREATE INDEX ix_agent_runs_organization_id_id ON agent_runs (organization_id, id);

CREATE INDEX ix_agent_runs_wake_at ON agent_runs (wake_at) WHERE wake_at IS NOT NULL;

CREATE TABLE agent_cards (
	approval_id TEXT NOT NULL, 
	organization_id TEXT NOT NULL, 
	conversation_id TEXT NOT NULL, 
	run_id TEXT, 
	CONSTRAINT pk_agent_cards PRIMARY KEY (approval_id), 
	CONSTRAINT fk_agent_cards_conversation_id FOREIGN KEY(conversation_id) REFERENCES conversations (id), 
	CONSTRAINT fk_agent_cards_organization_id FOREIGN KEY(organization_id) REFERENCES organizations (id), 
	CONSTRAINT fk_agent_cards_run_id FOREIGN KEY(run_id) REFERENCES agent_runs (id)
);

CREATE INDEX ix_agent_cards_conversation_id ON agent_cards (conversation_id) WHERE run_id IS NULL;

CREATE INDEX ix_agent_cards_run_id ON agent_cards (run_id) WHERE run_id IS NOT NULL;

CREATE TABLE agent_steps (
	run_id TEXT NOT NULL, 
	n INTEGER NOT NULL, 
	organization_id TEXT NOT NULL, 
	kind TEXT NOT NULL, 
	state TEXT NOT NULL, 
	tool TEXT, 
	call_id TEXT, 
	input TEXT, 
	answer TEXT, 
	charged_micro_credits BIGINT NOT NULL, 
	read_to TEXT, 
	at BIGINT NOT NULL, 
	CONSTRAINT pk_agent_steps PRIMARY KEY (run_id, n), 
	CONSTRAINT fk_agent_steps_organization_id FOREIGN KEY(organization_id) REFERENCES organizations (id), 
	CONSTRAINT fk_agent_steps_run_id FOREIGN KEY(run_id) REFERENCES agent_runs (id)
);

CREATE TABLE views (
	id TEXT NOT NULL, 
	organization_id TEXT NOT NULL, 
	person_id TEXT NOT NULL, 
	name TEXT NOT NULL, 
	tool TEXT NOT NULL, 
	input TEXT NOT NULL, 
	shared BOOLEAN NOT NULL, 
	version INTEGER NOT NULL, 
	created_at BIGINT NOT NULL, 
	updated_at BIGINT NOT NULL, board_by TEXT, 
	PRIMARY KEY (id), 
	FOREIGN KEY(organization_id) REFERENCES organizations (id), 
	FOREIGN KEY(person_id) REFERENCES people (id)
);

CREATE INDEX ix_views_organization_id ON views (organization_id);

CREATE TABLE files (
	id TEXT NOT NULL, 
	organization_id TEXT NOT NULL, 
	name TEXT NOT NULL, 
	media_type TEXT NOT NULL, 
	size BIGINT NOT NULL, 
	digest TEXT, 
	created_at BIGINT NOT NULL, 
	creator_kind TEXT NOT NULL, 
	creator_id TEXT NOT NULL, 
	unused_at BIGINT, 
	removed_at BIGINT, 
	PRIMARY KEY (id), 
	FOREIGN KEY(organization_id) REFERENCES organizations (id)
);

CREATE INDEX ix_files_organization_id_id ON files (organization_id, id) WHERE removed_at IS NULL;

CREATE INDEX ix_files_content ON files (organization_id, digest) WHERE digest IS NOT NULL;

CREATE INDEX ix_files_unused ON files (unused_at) WHERE unused_at IS NOT NULL;

CREATE INDEX ix_files_removed ON files (id) WHERE removed_at IS NOT NULL AND digest IS NOT NULL;

CREATE TABLE file_uses (
	file_id TEXT NOT NULL, 
	subject_id TEXT NOT NULL, 
	place TEXT NOT NULL, 
	organization_id TEXT NOT NULL, 
	noun TEXT NOT NULL, 
	PRIMARY KEY (file_id, subject_id, place), 
	FOREIGN KEY(file_id) REFERENCES files (id), 
	FOREIGN KEY(organization_id) REFERENCES organizations (id)
)
 WITHOUT ROWID

;

CREATE INDEX ix_file_uses_subject_id ON file_uses (subject_id);

CREATE TABLE file_totals (
	organization_id TEXT NOT NULL, 
	files BIGINT NOT NULL, 
	bytes BIGINT NOT NULL, 
	PRIMARY KEY (organization_id), 
	FOREIGN KEY(organization_id) REFERENCES organizations (id)
);

CREATE TABLE imports (
	id TEXT NOT NULL, 
	organization_id TEXT NOT NULL, 
	object_type TEXT NOT NULL, 
	name TEXT NOT NULL, 
	format TEXT NOT NULL, 
	fingerprint TEXT, 
	state TEXT NOT NULL, 
	bytes BIGINT NOT NULL, 
	next_part INTEGER NOT NULL, 
	layout TEXT, 
	settings TEXT, 
	starter TEXT, 
	source TEXT, 
	run INTEGER NOT NULL, 
	at_byte BIGINT NOT NULL, 
	at_line BIGINT NOT NULL, 
	in_long_line BOOLEAN NOT NULL, 
	counts TEXT NOT NULL, 
	refusals TEXT NOT NULL, 
	failure TEXT, 
	created_at BIGINT NOT NULL, 
	updated_at BIGINT NOT NULL, 
	ended_at BIGINT, faults TEXT, undo TEXT, undo_state TEXT, 
	PRIMARY KEY (id), 
	FOREIGN KEY(organization_id) REFERENCES organizations (id)
);

CREATE INDEX ix_imports_organization_id ON imports (organization_id, id);

CREATE UNIQUE INDEX ix_imports_open ON imports (organization_id) WHERE ended_at IS NULL;

CREATE INDEX ix_imports_ended_at ON imports (ended_at) WHERE ended_at IS NOT NULL;

CREATE INDEX ix_imports_running ON imports (organization_id) WHERE state = 'running';

CREATE TABLE import_parts (
	import_id TEXT NOT NULL, 
	number INTEGER NOT NULL, 
	digest BLOB NOT NULL, 
	PRIMARY KEY (import_id, number), 
	FOREIGN KEY(import_id) REFERENCES imports (id)
);

CREATE TABLE import_chunks (
	import_id TEXT NOT NULL, 
	number INTEGER NOT NULL, 
	data BLOB NOT NULL, 
	PRIMARY KEY (import_id, number), 
	FOREIGN KEY(import_id) REFERENCES imports (id)
);

CREATE TABLE import_outputs (
	import_id TEXT NOT NULL, 
	run INTEGER NOT NULL, 
	kind TEXT NOT NULL, 
	at_byte BIGINT NOT NULL, 
	text TEXT NOT NULL, 
	PRIMARY KEY (import_id, run, kind, at_byte), 
	FOREIGN KEY(import_id) REFERENCES imports (id)
);

CREATE TABLE import_keys (
	import_id TEXT NOT NULL, 
	run INTEGER NOT NULL, 
	digest BLOB NOT NULL, 
	line BIGINT NOT NULL, 
	PRIMARY KEY (import_id, run, digest), 
	FOREIGN KEY(import_id) REFERENCES imports (id)
)
 WITHOUT ROWID

;

CREATE TABLE mails (
	id TEXT NOT NULL, 
	organization_id TEXT NOT NULL, 
	kind TEXT NOT NULL, 
	cause TEXT NOT NULL, 
	is_notice BOOLEAN NOT NULL, 
	person_id TEXT, 
	address TEXT, 
	data TEXT, 
	token BLOB, 
	state TEXT NOT NULL, 
	failures INTEGER NOT NULL, 
	next_attempt_at BIGINT, 
	created_at BIGINT NOT NULL, 
	expires_at BIGINT NOT NULL, 
	done_at BIGINT, 
	reason TEXT, 
	PRIMARY KEY (id), 
	FOREIGN KEY(organization_id) REFERENCES organizations (id), 
	FOREIGN KEY(person_id) REFERENCES people (id)
);

CREATE UNIQUE INDEX ix_mails_cause ON mails (cause);

CREATE INDEX ix_mails_waiting ON mails (organization_id, is_notice, next_attempt_at, id) WHERE state = 'waiting';

CREATE INDEX ix_mails_due ON mails (next_attempt_at, organization_id) WHERE state = 'waiting';

CREATE INDEX ix_mails_sent ON mails (organization_id, is_notice, done_at) WHERE state = 'sent';

CREATE INDEX ix_mails_done_at ON mails (done_at) WHERE done_at IS NOT NULL;

CREATE TABLE notice_choices (
	organization_id TEXT NOT NULL, 
	kind TEXT NOT NULL, 
	person_id TEXT NOT NULL, 
	PRIMARY KEY (organization_id, kind, person_id), 
	FOREIGN KEY(organization_id) REFERENCES organizations (id), 
	FOREIGN KEY(person_id) REFERENCES people (id)
);

CREATE TABLE mailed_links (
	digest TEXT NOT NULL, 
	person_id TEXT NOT NULL, 
	purpose TEXT NOT NULL, 
	created_at BIGINT NOT NULL, 
	expires_at BIGINT NOT NULL, email TEXT, 
	PRIMARY KEY (digest), 
	FOREIGN KEY(person_id) REFERENCES people (id)
);

CREATE INDEX ix_mailed_links_person_id ON mailed_links (person_id);

CREATE TABLE asked_resets (
	id TEXT NOT NULL, 
	email TEXT NOT NULL, 
	at BIGINT NOT NULL, 
	PRIMARY KEY (id)
);

CREATE UNIQUE INDEX ix_invitations_mailed_digest ON invitations (mailed_digest);

CREATE INDEX ix_api_keys_expires_at ON api_keys (expires_at) WHERE revoked_at IS NULL;

CREATE INDEX ix_ai_ledger_grants ON ai_ledger (organization_id, id) WHERE kind = 'grant';

CREATE TABLE submission_blocks (
	organization_id TEXT NOT NULL, 
	first_id TEXT NOT NULL, 
	end_id TEXT NOT NULL, 
	texts BLOB NOT NULL, 
	ids BLOB NOT NULL, 
	PRIMARY KEY (organization_id, first_id), 
	FOREIGN KEY(organization_id) REFERENCES organizations (id)
)
 WITHOUT ROWID

;

CREATE INDEX ix_submissions_discarded ON submissions (form_id, state, id) WHERE state = 'discarded';

CREATE INDEX ix_submissions_discarded_at ON submissions (discarded_at) WHERE discarded_at IS NOT NULL;

CREATE INDEX ix_submissions_restored ON submissions (form_id, paced_at) WHERE restored_at IS NOT NULL;

CREATE INDEX ix_imports_undo_running ON imports (organization_id) WHERE undo_state = 'running';

CREATE TABLE import_records (
	import_id TEXT NOT NULL, 
	is_new BOOLEAN NOT NULL, 
	record_id TEXT NOT NULL, 
	version INTEGER NOT NULL, 
	left_in INTEGER NOT NULL, 
	PRIMARY KEY (import_id, is_new, record_id), 
	FOREIGN KEY(import_id) REFERENCES imports (id), 
	FOREIGN KEY(record_id) REFERENCES records (id)
)
 WITHOUT ROWID

;

CREATE INDEX ix_workflow_runs_record_id ON workflow_runs (record_id) WHERE record_id IS NOT NULL;

CREATE INDEX ix_objects_building ON objects (organization_id) WHERE duplicates_state = 'building';

CREATE TABLE duplicate_keys (
	object_id TEXT NOT NULL, 
	kind TEXT NOT NULL, 
	value TEXT NOT NULL, 
	record_id TEXT NOT NULL, 
	PRIMARY KEY (object_id, kind, value, record_id), 
	FOREIGN KEY(object_id) REFERENCES objects (id), 
	FOREIGN KEY(record_id) REFERENCES records (id)
)
 WITHOUT ROWID

;

CREATE INDEX ix_duplicate_keys_record_id ON duplicate_keys (record_id);

CREATE TABLE distinct_records (
	record_id TEXT NOT NULL, 
	other_id TEXT NOT NULL, 
	organization_id TEXT NOT NULL, 
	person_id TEXT, 
	at BIGINT NOT NULL, 
	PRIMARY KEY (record_id, other_id), 
	FOREIGN KEY(record_id) REFERENCES records (id), 
	FOREIGN KEY(other_id) REFERENCES records (id), 
	FOREIGN KEY(organization_id) REFERENCES organizations (id), 
	FOREIGN KEY(person_id) REFERENCES people (id)
)
 WITHOUT ROWID

;

CREATE INDEX ix_distinct_records_other_id ON distinct_records (other_id);

CREATE TABLE exports (
	id TEXT NOT NULL, 
	organization_id TEXT NOT NULL, 
	source TEXT NOT NULL, 
	object_type TEXT, 
	format TEXT NOT NULL, 
	"query" TEXT NOT NULL, 
	starter TEXT NOT NULL, 
	state TEXT NOT NULL, 
	attempts INTEGER NOT NULL, 
	rows BIGINT NOT NULL, 
	bytes BIGINT NOT NULL, 
	digest TEXT, 
	failure TEXT, 
	created_at BIGINT NOT NULL, 
	updated_at BIGINT NOT NULL, 
	ended_at BIGINT, 
	PRIMARY KEY (id), 
	FOREIGN KEY(organization_id) REFERENCES organizations (id)
);

CREATE INDEX ix_exports_organization_id ON exports (organization_id, id);

CREATE INDEX ix_exports_open ON exports (organization_id, id) WHERE ended_at IS NULL;

CREATE INDEX ix_exports_ended_at ON exports (ended_at) WHERE ended_at IS NOT NULL;

CREATE INDEX ix_audit_organization_id_action ON audit (organization_id, action);

CREATE TABLE conversation_reads (
	organization_id TEXT NOT NULL, 
	conversation_id TEXT NOT NULL, 
	person_id TEXT NOT NULL, 
	read_to TEXT NOT NULL, 
	mentioned_in TEXT, 
	PRIMARY KEY (conversation_id, person_id), 
	FOREIGN KEY(organization_id) REFERENCES organizations (id), 
	FOREIGN KEY(conversation_id) REFERENCES conversations (id), 
	FOREIGN KEY(person_id) REFERENCES people (id)
)
 WITHOUT ROWID

;

CREATE TABLE conversation_drafts (
	organization_id TEXT NOT NULL, 
	conversation_id TEXT NOT NULL, 
	person_id TEXT NOT NULL, 
	text TEXT NOT NULL, 
	saved_at BIGINT NOT NULL, 
	PRIMARY KEY (conversation_id, person_id), 
	FOREIGN KEY(organization_id) REFERENCES organizations (id), 
	FOREIGN KEY(conversation_id) REFERENCES conversations (id), 
	FOREIGN KEY(person_id) REFERENCES people (id)
);

CREATE INDEX ix_conversation_drafts_saved_at ON conversation_drafts (saved_at);

CREATE TABLE conversation_notes (
	id TEXT NOT NULL, 
	organization_id TEXT NOT NULL, 
	conversation_id TEXT NOT NULL, 
	author_kind TEXT NOT NULL, 
	author_id TEXT, 
	author_name TEXT NOT NULL, 
	text TEXT NOT NULL, 
	mentions TEXT, 
	created_at BIGINT NOT NULL, 
	PRIMARY KEY (id), 
	FOREIGN KEY(organization_id) REFERENCES organizations (id), 
	FOREIGN KEY(conversation_id) REFERENCES conversations (id)
);

CREATE INDEX ix_conversation_notes_conversation_id_id ON conversation_notes (conversation_id, id);

CREATE TABLE reply_templates (
	id TEXT NOT NULL, 
	organization_id TEXT NOT NULL, 
	person_id TEXT NOT NULL, 
	name TEXT NOT NULL, 
	text TEXT NOT NULL, 
	shared BOOLEAN NOT NULL, 
	version INTEGER NOT NULL, 
	created_at BIGINT NOT NULL, 
	updated_at BIGINT NOT NULL, 
	PRIMARY KEY (id), 
	FOREIGN KEY(organization_id) REFERENCES organizations (id), 
	FOREIGN KEY(person_id) REFERENCES people (id)
);

CREATE INDEX ix_reply_templates_organization_id ON reply_templates (organization_id);

CREATE INDEX ix_conversations_organization_id_active_at_id ON conversations (organization_id, active_at, id);

CREATE INDEX ix_conversations_organization_id_status_active_at_id ON conversations (organization_id, status, active_at, id);

CREATE INDEX ix_conversations_of_members ON conversations (organization_id, status, member_id, active_at, id);

CREATE INDEX ix_conversations_held ON conversations (organization_id, active_at, id) WHERE held_reason IS NOT NULL;

CREATE INDEX ix_conversations_snoozed ON conversations (organization_id, snoozed_until) WHERE snoozed_until IS NOT NULL;

CREATE TABLE requests (
	organization_id TEXT NOT NULL, 
	number BIGINT NOT NULL, 
	at BIGINT NOT NULL, 
	request_id TEXT NOT NULL, 
	door TEXT NOT NULL, 
	caller_kind TEXT NOT NULL, 
	caller_id TEXT NOT NULL, 
	tool TEXT, 
	status INTEGER NOT NULL, 
	code TEXT, 
	milliseconds INTEGER NOT NULL, 
	bytes_in BIGINT NOT NULL, 
	bytes_out BIGINT NOT NULL, 
	replayed BOOLEAN NOT NULL, 
	failed_in TEXT, 
	PRIMARY KEY (organization_id, number), 
	FOREIGN KEY(organization_id) REFERENCES organizations (id)
)
 WITHOUT ROWID

;

CREATE INDEX ix_requests_caller ON requests (caller_id, number);

CREATE INDEX ix_requests_failed ON requests (failed_in, number) WHERE failed_in IS NOT NULL;

CREATE TABLE previous_keys (
	key_id TEXT NOT NULL, 
	organization_id TEXT NOT NULL, 
	digest TEXT NOT NULL, 
	ends_at BIGINT NOT NULL, 
	PRIMARY KEY (key_id), 
	FOREIGN KEY(key_id) REFERENCES api_keys (id), 
	FOREIGN KEY(organization_id) REFERENCES organizations (id)
);

CREATE INDEX ix_previous_keys_live ON previous_keys (digest, ends_at, organization_id);

CREATE INDEX ix_previous_keys_organization_id ON previous_keys (organization_id);

CREATE TABLE grants (
	id TEXT NOT NULL, 
	organization_id TEXT NOT NULL, 
	person_id TEXT NOT NULL, 
	app_id TEXT NOT NULL, 
	client_id TEXT NOT NULL, 
	app_name TEXT NOT NULL, 
	app_host TEXT NOT NULL, 
	role_id TEXT NOT NULL, 
	reach TEXT NOT NULL, 
	tools TEXT, 
	door TEXT NOT NULL, 
	created_at BIGINT NOT NULL, 
	expires_at BIGINT NOT NULL, 
	ended_at BIGINT, 
	ended_because TEXT, 
	last_used_at BIGINT, 
	PRIMARY KEY (id), 
	FOREIGN KEY(organization_id) REFERENCES organizations (id), 
	FOREIGN KEY(person_id) REFERENCES people (id)
);

CREATE INDEX ix_grants_organization_id_id ON grants (organization_id, id);

CREATE INDEX ix_grants_live ON grants (organization_id, person_id) WHERE ended_at IS NULL;

CREATE INDEX ix_grants_app_id ON grants (app_id);

CREATE TABLE access_tokens (
	id TEXT NOT NULL, 
	organization_id TEXT NOT NULL, 
	grant_id TEXT NOT NULL, 
	digest TEXT NOT NULL, 
	created_at BIGINT NOT NULL, 
	expires_at BIGINT NOT NULL, 
	PRIMARY KEY (id), 
	FOREIGN KEY(organization_id) REFERENCES organizations (id), 
	FOREIGN KEY(grant_id) REFERENCES grants (id)
);

CREATE INDEX ix_access_tokens_grant_id ON access_tokens (grant_id);

CREATE INDEX ix_access_tokens_expires_at ON access_tokens (expires_at);

CREATE INDEX ix_access_tokens_live ON access_tokens (digest, expires_at, organization_id, grant_id);

CREATE TABLE apps (
	id TEXT NOT NULL, 
	organization_id TEXT NOT NULL, 
	name TEXT NOT NULL, 
	redirect_uris TEXT NOT NULL, 
	secret_digest TEXT, 
	created_by TEXT, 
	created_at BIGINT NOT NULL, 
	removed_at BIGINT, 
	PRIMARY KEY (id), 
	FOREIGN KEY(organization_id) REFERENCES organizations (id), 
	FOREIGN KEY(created_by) REFERENCES people (id)
);

CREATE INDEX ix_apps_organization_id ON apps (organization_id);

CREATE TABLE registered_apps (
	id TEXT NOT NULL, 
	name TEXT NOT NULL, 
	redirect_uris TEXT NOT NULL, 
	secret_digest TEXT, 
	address TEXT NOT NULL, 
	created_at BIGINT NOT NULL, 
	PRIMARY KEY (id)
);

CREATE INDEX ix_registered_apps_address_created_at ON registered_apps (address, created_at);

CREATE TABLE authorization_requests (
	digest TEXT NOT NULL, 
	app_id TEXT NOT NULL, 
	client_id TEXT NOT NULL, 
	app_name TEXT NOT NULL, 
	app_host TEXT NOT NULL, 
	organization_id TEXT, 
	redirect_uri TEXT NOT NULL, 
	state TEXT, 
	challenge TEXT NOT NULL, 
	scope TEXT NOT NULL, 
	door TEXT NOT NULL, 
	issuer TEXT NOT NULL, 
	address TEXT NOT NULL, 
	created_at BIGINT NOT NULL, 
	expires_at BIGINT NOT NULL, 
	PRIMARY KEY (digest)
);

CREATE INDEX ix_authorization_requests_address ON authorization_requests (address);

CREATE INDEX ix_authorization_requests_expires_at ON authorization_requests (expires_at);

CREATE TABLE authorization_codes (
	digest TEXT NOT NULL, 
	organization_id TEXT NOT NULL, 
	grant_id TEXT NOT NULL, 
	redirect_uri TEXT NOT NULL, 
	challenge TEXT NOT NULL, 
	created_at BIGINT NOT NULL, 
	expires_at BIGINT NOT NULL, 
	used_at BIGINT, 
	PRIMARY KEY (digest), 
	FOREIGN KEY(organization_id) REFERENCES organizations (id), 
	FOREIGN KEY(grant_id) REFERENCES grants (id)
);

CREATE INDEX ix_authorization_codes_expires_at ON authorization_codes (expires_at);

CREATE TABLE refresh_tokens (
	digest TEXT NOT NULL, 
	organization_id TEXT NOT NULL, 
	grant_id TEXT NOT NULL, 
	created_at BIGINT NOT NULL, 
	expires_at BIGINT NOT NULL, 
	used_at BIGINT, 
	successor TEXT, 
	PRIMARY KEY (digest), 
	FOREIGN KEY(organization_id) REFERENCES organizations (id), 
	FOREIGN KEY(grant_id) REFERENCES grants (id)
);

CREATE INDEX ix_refresh_tokens_grant_id ON refresh_tokens (grant_id);

CREATE INDEX ix_refresh_tokens_expires_at ON refresh_tokens (expires_at);

INSERT INTO alembic_version VALUES ('0040');
