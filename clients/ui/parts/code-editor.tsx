// An editor of code that marks faults where they are. It is loaded when one is shown.
import { ErrorBoundary, lazy } from 'preact-iso'

/** What is wrong with a text, and where. */
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
  /** What the text is, for those who do not see it. */
  readonly label: string
  readonly faults?: readonly Fault[] | undefined
  readonly readOnly?: boolean | undefined
}

const Loaded = lazy(async () => (await import('./code-mirror.js')).CodeMirror)

export const CodeEditor = (props: CodeEditorProps) => (
  <div class="code-editor">
    <ErrorBoundary>
      <Loaded {...props} />
    </ErrorBoundary>
  </div>
)
