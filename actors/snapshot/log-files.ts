// What saving and restoring need of a log that is kept in files.

/** How texts about a log are signed. */
export interface SignedFile {
  /** The public key, as C2SP signed-note writes it. */
  readonly vkey: string
  /** A note with the signature below the text. */
  readonly sign: (text: string) => string
}

export interface LogFiles {
  /** Whether another log may take the place of this one: not of one that others follow. */
  readonly isExchangeable: boolean
  /**
   * Copies what is durable now to another folder: a log of its own.
   * @returns its newest commit
   * @throws what the file system reports
   */
  copyTo(folder: string): Promise<{ readonly index: number }>
  signing(): Promise<SignedFile>
  /**
   * Goes on with the log that stands ready beside it, under a new incarnation.
   * @param time RFC 3339, of its first commit
   * @throws LogUnusable when that does not hold; nothing has changed then
   */
  exchange(time: string): Promise<void>
  /**
   * Goes on with files of this very log, as another server has it, that stand ready beside it and go further.
   * @throws LogUnusable when they do not; nothing has changed then
   */
  takeOver(): Promise<void>
}
