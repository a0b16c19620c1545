// The enquiry form: sends what was typed as JSON and says in words what became of it.
'use strict'

const form = document.getElementById('enquiry')
const sent = document.getElementById('sent')
const failed = document.getElementById('failed')
const button = form.querySelector('[type=submit]')
const TIMEOUT_MS = 20_000

const REFUSALS = {
  no_contact: 'Please leave an e-mail address or a phone number, so that we can answer.',
  origin: 'This form does not take enquiries from this address. Please open our own page, or call us.',
  unknown_form: 'This form is closed at the moment. Please call us.',
  shape: 'Something in here is longer or other than the form can take. Please shorten it and send it again.',
  text: 'There is a character in here that cannot be stored. Please remove what was pasted and send it again.',
}
const LOST = 'It could not be sent just now. What you typed is still here: please try again in a moment, or call us.'
const FAULTS = {
  invalid: { email: 'This does not look like an e-mail address.', phone: 'This does not look like a phone number.' },
  too_long: 'This is too long.',
  unstorable: 'There is a character in here that cannot be stored.',
}

function inWords(seconds) {
  if (seconds < 60) return seconds === 1 ? 'one second' : `${seconds} seconds`
  const minutes = Math.ceil(seconds / 60)
  return minutes === 1 ? 'a minute' : `${minutes} minutes`
}

function mark(input, text) {
  const error = document.getElementById(`${input.id}-error`)
  if (!error) return
  if (text) input.setAttribute('aria-invalid', 'true')
  else input.removeAttribute('aria-invalid')
  error.textContent = text
  error.hidden = !text
}

function clear() {
  failed.hidden = true
  for (const input of form.elements) mark(input, '')
}

/** Says *text* above the form and *faults*, texts by field name, at the fields; none of the input is lost. */
function fail(text, faults = {}) {
  for (const [name, fault] of Object.entries(faults)) {
    const input = form.elements.namedItem(name)
    if (input) mark(input, fault)
  }
  failed.textContent = text
  failed.hidden = !text
  const first = form.querySelector('[aria-invalid]')
  if (first) first.focus()
  else failed.scrollIntoView({ block: 'center' })
}

function values() {
  const filled = {}
  for (const input of form.elements) {
    if (input.name && input.value.trim() !== '') filled[input.name] = input.value
  }
  return filled
}

function explain(answer, retryAfter) {
  if (answer.reason === 'rate') {
    const wait = retryAfter ? inWords(Number(retryAfter)) : 'a while'
    return fail(`We can only take so many enquiries at a time. Please try again in ${wait}: what you typed stays here.`)
  }
  const faults = {}
  for (const [name, fault] of Object.entries(answer.fields ?? {})) {
    const text = FAULTS[fault]
    faults[name] = typeof text === 'string' ? text : (text?.[name] ?? 'This cannot be taken as it is.')
  }
  if (answer.reason === 'no_contact' && Object.keys(faults).length === 0) {
    return fail('', { email: REFUSALS.no_contact })
  }
  return fail(REFUSALS[answer.reason] ?? LOST, faults)
}

async function send() {
  const typed = values()
  const response = await fetch(form.action, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ f: new URL(form.action).searchParams.get('f'), v: typed }),
    signal: AbortSignal.timeout(TIMEOUT_MS),
  })
  const answer = await response.json()
  if (!answer.ok) return explain(answer, response.headers.get('retry-after'))
  const [first] = (typed.name ?? '').trim().split(/\s+/)
  document.getElementById('sent-name').textContent = first ? `, ${first}` : ''
  form.reset()
  form.hidden = true
  sent.hidden = false
  sent.focus()
}

form.noValidate = true // What is wrong is said at the field, for all fields at once.
form.addEventListener('submit', async (event) => {
  event.preventDefault()
  if (button.getAttribute('aria-disabled')) return
  clear()
  const wrong = [...form.elements].filter((input) => !input.validity.valid)
  if (wrong.length) return fail('', Object.fromEntries(wrong.map((input) => [input.name, input.validationMessage])))
  button.setAttribute('aria-disabled', 'true')
  button.textContent = 'Sending…'
  try {
    await send()
  } catch {
    fail(LOST)
  } finally {
    button.removeAttribute('aria-disabled')
    button.textContent = 'Send enquiry'
  }
})

form.addEventListener('input', (event) => mark(event.target, ''))

document.getElementById('again').addEventListener('click', () => {
  sent.hidden = true
  form.hidden = false
  form.elements.namedItem('name').focus()
})

for (const link of document.querySelectorAll('[data-lamp]')) {
  link.addEventListener('click', () => {
    form.elements.namedItem('lamp').value = link.dataset.lamp
  })
}
