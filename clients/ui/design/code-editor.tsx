// A code editor with marked faults, loaded on first use. It is read-only where changes are denied.
import { useContext } from 'preact/hooks'
import { ErrorBoundary, lazy } from 'preact-iso'
import type { CodeEditorProps } from './code-mirror.js'
import { Denial } from './guard.js'

const Loaded = lazy(async () => (await import('./code-mirror.js')).CodeMirror)

export const CodeEditor = (props: Omit<CodeEditorProps, 'readOnly'>) => (
  <div class="code-editor">
    <ErrorBoundary>
      <Loaded {...props} readOnly={useContext(Denial) !== undefined} />
    </ErrorBoundary>
  </div>
)
