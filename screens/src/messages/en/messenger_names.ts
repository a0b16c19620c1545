/** What messengers are called, wherever one is named. */
export const messengerNames = {
  telegram: "Telegram",
  whatsapp: "WhatsApp",
  viber: "Viber",
  signal: "Signal",
  instagram: "Instagram",
  messenger: "Messenger",
  line: "LINE",
  wechat: "WeChat",
  discord: "Discord",
  matrix: "Matrix",
  xmpp: "XMPP",
  sms: "SMS",
  other: "Other",
} as const;
