// An editor of code that marks faults where they are. It is loaded when one is shown.
import { ErrorBoundary, lazy } from 'preact-iso'
import type { CodeEditorProps } from './code-editor-props.js'

const Loaded = lazy(async () => (await import('./code-mirror.js')).CodeMirror)

export const CodeEditor = (props: CodeEditorProps) => (
  <div class="code-editor">
    <ErrorBoundary>
      <Loaded {...props} />
    </ErrorBoundary>
  </div>
)
