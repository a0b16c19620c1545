/** Words of the workflows that are often needed: their names, what they are for, and the texts in them. */
export const workflow_templates = {
  deal: {
    name: "A deal for each enquiry",
    about: "When a form is filed: a deal of the contact, with what they wrote.",
    dealName: "Enquiry of {{record.name}}",
    note: "{{submission.fields.message}}",
  },
  followUp: {
    name: "Remind me of an enquiry",
    about: "Two days after a form is filed: a note at the contact.",
    note: "Two days old: has anybody called {{record.name}}?",
  },
  changed: {
    name: "Note changed addresses",
    about: "When e-mail or phone of a contact changes: what it was before.",
    note: "Before: {{changed.email.from}} {{changed.phone.from}}. Now: {{changed.email.to}} {{changed.phone.to}}.",
  },
  won: {
    name: "After a deal is won",
    about: "A note at once, and another after a month to ask how it goes.",
    note: "Won: {{record.name}}. Send the thank-you card.",
    later: "A month since {{record.name}} was won: ask how it goes.",
  },
  approval: {
    name: "Ask before a large deal",
    about: "A new deal of 10,000 or more waits for somebody’s decision.",
    reason: "Go ahead with {{record.name}}, worth {{record.amount}}?",
    yes: "Approved.",
    no: "Not approved, or nobody decided in time.",
  },
  receipt: {
    name: "Confirm each message",
    about: "When a message comes in: an answer that it has arrived.",
    text: "Thank you, we have your message and will answer soon.",
  },
  unknown: {
    name: "Ask strangers for their name",
    about: "When a message comes from somebody without a name: ask for it.",
    text: "Thank you for writing. What is your name, please?",
  },
  company: {
    name: "First steps with a new company",
    about: "When a company is created: a note of what is to be done.",
    title: "First steps",
    note: "1. Who decides at {{record.name}}?\n2. How did they find us?\n3. When do we call again?",
  },
  silent: {
    name: "A deal that nobody touches",
    about: "A week without any change of a new deal: a reminder.",
    note: "Nobody has touched {{record.name}} for a week.",
  },
  monthly: {
    name: "Every first of the month",
    about: "At nine: a deal for what comes each month.",
    dealName: "Monthly check of the stock",
  },
} as const;
