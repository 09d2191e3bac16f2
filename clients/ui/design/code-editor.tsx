// A code editor with marked faults, loaded on first use.
import { ErrorBoundary, lazy } from 'preact-iso'
import type { CodeEditorProps } from './code-mirror.js'

const Loaded = lazy(async () => (await import('./code-mirror.js')).CodeMirror)

export const CodeEditor = (props: CodeEditorProps) => (
  <div class="code-editor">
    <ErrorBoundary>
      <Loaded {...props} />
    </ErrorBoundary>
  </div>
)
