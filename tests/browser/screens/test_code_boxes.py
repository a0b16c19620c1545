"""Boxes with code to copy: the text has their whole width, and nothing lies on it."""

from playwright.sync_api import Page, expect

_ROOM = """
(code) => {
  const box = code.parentElement.getBoundingClientRect();
  const text = code.getBoundingClientRect();
  const button = code.parentElement.querySelector("button").getBoundingClientRect();
  const above = code.parentElement.previousElementSibling.getBoundingClientRect();
  return {
    lost: Math.round(box.width - text.width),
    covered: button.bottom > text.top && button.top < text.bottom,
    gap: Math.round(box.top - above.bottom),
  };
}
"""


def test_code_runs_to_the_edge_of_its_box(desk: Page) -> None:
    """Copy stands above it; between the choice of a language and the box there is a gap."""
    desk.goto("/app/forms")
    desk.get_by_role("row").get_by_role("link").first.click()
    desk.get_by_role("link", name="Put it on a site").click()
    code = desk.get_by_role("group", name="In a page")
    expect(code).to_contain_text("</script>")

    assert {"lost": 2, "covered": False, "gap": 12} == code.evaluate(_ROOM)
