// Counts views of pages: docs/sites-and-visits.md
((doc, nav) => {
  const me = doc.currentScript, push = history.pushState
  if (!me || nav.doNotTrack == 1 || nav.globalPrivacyControl) return

  // Of a query, only the campaign is sent.
  const cut = (url) => url.split(/[?#]/)[0] + '?' + (url.match(/\butm_\w+=[^&#]*/g) || []).join('&')

  let referrer = cut(doc.referrer), timer
  const send = () => {
    const url = cut(doc.URL)
    if (url == referrer) return
    const body = JSON.stringify({ url, referrer, title: doc.title })
    fetch(new URL('api/t', me.src), { method: 'POST', body, keepalive: true }).catch(() => {})
    referrer = url
  }
  // Titles change after the move.
  const moved = () => { clearTimeout(timer); timer = setTimeout(send, 300) }

  history.pushState = (...a) => { push.apply(history, a); moved() }
  addEventListener('popstate', moved)
  doc.prerendering ? doc.addEventListener('prerenderingchange', send) : send()
})(document, navigator)
