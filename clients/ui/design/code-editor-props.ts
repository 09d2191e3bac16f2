export interface Fault {
  /** From 1. */
  readonly line: number
  /** From 1; without it the whole line is marked. */
  readonly column?: number | undefined
  readonly severity: 'error' | 'warning'
  readonly message: string
}

export interface CodeEditorProps {
  readonly value: string
  readonly change: (text: string) => void
  /** Faults of JSON are found by the editor itself. */
  readonly language: 'json' | 'hcl' | 'text'
  /** Names the text for screen readers. */
  readonly label: string
  readonly faults?: readonly Fault[] | undefined
  readonly readOnly?: boolean | undefined
}
