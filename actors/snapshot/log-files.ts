export interface SignedFile {
  /** The public key, as C2SP signed-note writes it. */
  readonly vkey: string
  /** Returns a note with the text and its signature. */
  readonly sign: (text: string) => string
}

export interface LogFiles {
  /** True when another log may replace this one: no other server follows it. */
  readonly isExchangeable: boolean
  /** Copies the durable commits to another folder, as a log of its own. @returns its newest commit @throws errors of the file system */
  copyTo(folder: string): Promise<{ readonly index: number }>
  signing(): Promise<SignedFile>
  /**
   * Replaces the log with the prepared one beside it, under a new incarnation.
   * @param time RFC 3339, of its first commit
   * @throws LogUnusable for an unusable log; nothing has changed then
   */
  exchange(time: string): Promise<void>
  /** Replaces the files with longer ones of the same log. @throws LogUnusable, with nothing changed */
  takeOver(): Promise<void>
}
