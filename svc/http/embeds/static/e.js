// Fills placeholders with embeds: docs/embeds.md
((doc, win) => {
  if (win.svcEmbed) return
  // A module has no current script, and only a module may say import.meta: the stack tells in both.
  const { src } = doc.currentScript || {}, me = src || new Error().stack.match(/https?:.+?(?=:\d+:\d+)/)?.[0]
  if (!me) return console.warn('No embeds: load e.js from the service itself')
  const at = (path) => new URL(path, me).href, texts = {}

  // Each embed is fetched once a page; one that failed is asked for again by the next scan.
  const load = (key) => texts[key] ||= fetch(at(`api/e/${encodeURIComponent(key)}?format=html`), { credentials: 'omit' })
    .then((answer) => answer.ok ? answer.text() : Promise.reject())
    .catch(() => { delete texts[key]; console.warn(`No embed ${key}: ${at('docs/embeds#the-loader')}`) })

  // A strict policy forbids inline styles, and allows the style sheets that a script adopts.
  const fill = (host, html) => {
    const body = doc.createElement('template'), sheet = new CSSStyleSheet(), names = {}
    const named = (style) => {
      const count = sheet.cssRules.length
      if (!names[style]) sheet.insertRule(`.${names[style] = 's' + count}{${style}}`, count)
      return names[style]
    }
    body.innerHTML = html.replace(/ style="([^"]*)"/g, (_, style) => ` class="${named(style)}"`)
    const root = host.attachShadow({ mode: 'open' })
    root.adoptedStyleSheets = [sheet]
    root.append(body.content)
    root.addEventListener('submit', send)
  }

  const REFUSALS = {
    no_contact: 'Please leave an e-mail address or a phone number.',
    unknown_form: 'This form is closed.',
    origin: 'This form is closed here.',
  }
  const LOST = 'It could not be sent. Please try again.'

  const send = async (event) => {
    event.preventDefault()
    // Not form.action and the like: a field of that name would be what is found there.
    const form = event.target, { querySelector, getAttribute } = Element.prototype
    const find = (what) => querySelector.call(form, what)
    const status = find('[role=status]'), button = find('[type=submit]')
    if (button.disabled) return
    button.disabled = true
    status.textContent = 'Sending…'
    try {
      // To where this script came from, however the service calls itself.
      const { search } = new URL(getAttribute.call(form, 'action'), me)
      const answer = await fetch(at('api/f/s' + search), {
        method: 'POST', credentials: 'omit', body: new URLSearchParams(new FormData(form)),
      })
      const { ok, reason } = await answer.json()
      if (ok) HTMLFormElement.prototype.reset.call(form)
      status.textContent = ok ? 'Thank you, it has arrived.'
        : reason == 'rate' ? `Too many at once: please try again in ${answer.headers.get('retry-after') || 60} seconds.`
        : REFUSALS[reason] || LOST
    } catch {
      status.textContent = LOST
    }
    button.disabled = false
  }

  const PLACEHOLDER = '[data-svc-embed]'
  const scan = (root = doc) => Promise.all(
    [...root.matches?.(PLACEHOLDER) ? [root] : [], ...root.querySelectorAll(PLACEHOLDER)].map(async (host) => {
      try {
        const html = await load(host.dataset.svcEmbed)
        if (html && !host.shadowRoot) fill(host, html)
      } catch {} // The placeholder stays as it is.
    }))
  win.svcEmbed = { scan }
  doc.readyState == 'loading' ? doc.addEventListener('DOMContentLoaded', () => scan()) : scan()
})(document, window)
