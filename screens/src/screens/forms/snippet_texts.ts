/** What a form on a site says to visitors, by the language of its page. */
export interface SnippetTexts {
  name: string;
  email: string;
  message: string;
  send: string;
  sent: string;
  later: string;
  rate: string;
  closed: string;
  origin: string;
  noContact: string;
  invalid: string;
  tooLong: string;
  /** For people whose browser fills in what is not shown. */
  leaveEmpty: string;
}

export const SNIPPET_LANGUAGES = { en: "English", de: "Deutsch", fr: "Français", es: "Español", it: "Italiano", nl: "Nederlands" } as const;

export type SnippetLanguage = keyof typeof SNIPPET_LANGUAGES;

export const SNIPPET_TEXTS: Readonly<Record<SnippetLanguage, SnippetTexts>> = {
  en: {
    name: "Name",
    email: "E-mail",
    message: "Message",
    send: "Send",
    sent: "Thank you. Your message has arrived.",
    later: "It could not be sent just now. What you typed is still here: please try again in a moment.",
    rate: "There were too many messages at once. Please try again in a minute: what you typed is still here.",
    closed: "This form is closed at the moment.",
    origin: "This form does not take messages from this page.",
    noContact: "Please give an e-mail address or a phone number.",
    invalid: "Please check this: it cannot be taken as it is.",
    tooLong: "This is too long.",
    leaveEmpty: "Please leave this empty",
  },
  de: {
    name: "Name",
    email: "E-Mail",
    message: "Nachricht",
    send: "Senden",
    sent: "Danke. Ihre Nachricht ist angekommen.",
    later: "Das ließ sich gerade nicht senden. Ihr Text ist noch da: Bitte versuchen Sie es gleich noch einmal.",
    rate: "Es waren zu viele Nachrichten auf einmal. Bitte versuchen Sie es in einer Minute wieder: Ihr Text ist noch da.",
    closed: "Dieses Formular ist zurzeit geschlossen.",
    origin: "Dieses Formular nimmt von dieser Seite nichts an.",
    noContact: "Bitte geben Sie eine E-Mail-Adresse oder eine Telefonnummer an.",
    invalid: "Bitte prüfen Sie das: So lässt es sich nicht annehmen.",
    tooLong: "Das ist zu lang.",
    leaveEmpty: "Bitte leer lassen",
  },
  fr: {
    name: "Nom",
    email: "E-mail",
    message: "Message",
    send: "Envoyer",
    sent: "Merci. Votre message est bien arrivé.",
    later: "L’envoi n’a pas fonctionné. Votre texte est toujours là : veuillez réessayer dans un instant.",
    rate: "Trop de messages à la fois. Veuillez réessayer dans une minute : votre texte est toujours là.",
    closed: "Ce formulaire est fermé pour le moment.",
    origin: "Ce formulaire n’accepte pas de messages de cette page.",
    noContact: "Veuillez indiquer une adresse e-mail ou un numéro de téléphone.",
    invalid: "Veuillez vérifier ce champ.",
    tooLong: "C’est trop long.",
    leaveEmpty: "Veuillez laisser ce champ vide",
  },
  es: {
    name: "Nombre",
    email: "Correo electrónico",
    message: "Mensaje",
    send: "Enviar",
    sent: "Gracias. Hemos recibido su mensaje.",
    later: "No se ha podido enviar. Su texto sigue aquí: inténtelo de nuevo en un momento.",
    rate: "Demasiados mensajes a la vez. Inténtelo de nuevo en un minuto: su texto sigue aquí.",
    closed: "Este formulario está cerrado en este momento.",
    origin: "Este formulario no acepta mensajes de esta página.",
    noContact: "Indique una dirección de correo o un número de teléfono.",
    invalid: "Revise este campo.",
    tooLong: "Es demasiado largo.",
    leaveEmpty: "Deje este campo vacío",
  },
  it: {
    name: "Nome",
    email: "E-mail",
    message: "Messaggio",
    send: "Invia",
    sent: "Grazie. Il messaggio è arrivato.",
    later: "L’invio non è riuscito. Il testo è ancora qui: riprovi tra un momento.",
    rate: "Troppi messaggi insieme. Riprovi tra un minuto: il testo è ancora qui.",
    closed: "Questo modulo al momento è chiuso.",
    origin: "Questo modulo non accetta messaggi da questa pagina.",
    noContact: "Indichi un indirizzo e-mail o un numero di telefono.",
    invalid: "Controlli questo campo.",
    tooLong: "È troppo lungo.",
    leaveEmpty: "Lasci vuoto questo campo",
  },
  nl: {
    name: "Naam",
    email: "E-mail",
    message: "Bericht",
    send: "Versturen",
    sent: "Bedankt. Uw bericht is aangekomen.",
    later: "Versturen lukte nu niet. Uw tekst staat er nog: probeer het zo opnieuw.",
    rate: "Te veel berichten tegelijk. Probeer het over een minuut opnieuw: uw tekst staat er nog.",
    closed: "Dit formulier is op dit moment gesloten.",
    origin: "Dit formulier neemt geen berichten van deze pagina aan.",
    noContact: "Geef een e-mailadres of een telefoonnummer op.",
    invalid: "Kijk dit na: zo kan het niet worden aangenomen.",
    tooLong: "Dit is te lang.",
    leaveEmpty: "Laat dit leeg",
  },
};
