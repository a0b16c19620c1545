/** What every screen is given. */
export interface ScreenProps {
  /** What stands for each `{name}` of the path. */
  params: Readonly<Record<string, string | undefined>>;
}
