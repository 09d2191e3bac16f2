/** What a check found out. */
export interface Finding {
  readonly status: string
  readonly output: string
}
