// A code editor with marked faults, loaded on first use.
import { ErrorBoundary, lazy } from 'preact-iso'

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

const Loaded = lazy(async () => (await import('./code-mirror.js')).CodeMirror)

export const CodeEditor = (props: CodeEditorProps) => (
  <div class="code-editor">
    <ErrorBoundary>
      <Loaded {...props} />
    </ErrorBoundary>
  </div>
)
