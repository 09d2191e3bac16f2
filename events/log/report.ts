// What the log tells the operator besides errors: nothing that was found on disk is passed over in silence.

export interface LogReport {
  readonly level: 'info' | 'warn' | 'error'
  readonly text: string
  /** File, offset, index and the like. */
  readonly details?: Readonly<Record<string, unknown>>
}

export type Report = (report: LogReport) => void
