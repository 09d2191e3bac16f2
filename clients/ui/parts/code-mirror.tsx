// The editor of code itself, by CodeMirror. It stands in a shadow root: there its styles are no element,
// which the page's policy would refuse.
import { setDiagnostics, type Diagnostic } from '@codemirror/lint'
import { jsonParseLinter } from '@codemirror/lang-json'
import type { Text } from '@codemirror/state'
import { EditorView } from '@codemirror/view'
import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks'
import type { CodeEditorProps, Fault } from './code-editor-props.js'
import { extensionsFor } from './code-extensions.js'

const NONE: readonly Fault[] = []

const diagnosticOf = (text: Text, { line, column, severity, message }: Fault): Diagnostic => {
  const { from, to } = text.line(Math.min(Math.max(line, 1), text.lines))
  return column === undefined
    ? { from, to, severity, message }
    : { from: Math.min(from + column - 1, to), to, severity, message }
}

const faultOf = (text: Text, { from, message }: Diagnostic): Fault => {
  const line = text.lineAt(from)
  return { line: line.number, column: from - line.from + 1, severity: 'error', message }
}

interface FaultsProps {
  readonly faults: readonly Fault[]
  readonly show: (fault: Fault) => void
}

const Faults = ({ faults, show }: FaultsProps) => (
  <ul class="notices" aria-live="polite">
    {faults.map(fault => (
      <li
        key={`${fault.line} ${fault.column} ${fault.message}`}
        class={fault.severity === 'error' ? 'refused' : 'index'}
      >
        <button type="button" class="plain" onClick={() => show(fault)}>
          Line {fault.line}
        </button>{' '}
        {fault.severity === 'warning' && 'Warning: '}
        {fault.message}
      </li>
    ))}
  </ul>
)

export const CodeMirror = ({
  value,
  change,
  language,
  label,
  faults = NONE,
  readOnly = false
}: CodeEditorProps) => {
  const host = useRef<HTMLDivElement>(null)
  const view = useRef<EditorView>(undefined)
  const changed = useRef(change)
  changed.current = change
  const [own, setOwn] = useState(NONE)
  useLayoutEffect(() => {
    const { current } = host
    if (!current) return
    const root = current.shadowRoot ?? current.attachShadow({ mode: 'open' })
    const tells = EditorView.updateListener.of(({ docChanged, state }) => {
      if (docChanged) changed.current(state.doc.toString())
    })
    const made = new EditorView({
      doc: value,
      extensions: [extensionsFor(language, label, readOnly), tells],
      parent: root,
      root
    })
    view.current = made
    return () => made.destroy()
  }, [language, label, readOnly])
  // What another than the one who types has written.
  useLayoutEffect(() => {
    const { current } = view
    if (!current || current.state.doc.toString() === value) return
    current.dispatch({ changes: { from: 0, to: current.state.doc.length, insert: value } })
  }, [value])
  useEffect(() => {
    const { current } = view
    if (!current) return
    const found = language === 'json' && value.trim() !== '' ? jsonParseLinter()(current) : []
    const { doc } = current.state
    setOwn(found.length === 0 ? NONE : found.map(each => faultOf(doc, each)))
    const told = faults.map(fault => diagnosticOf(doc, fault))
    current.dispatch(setDiagnostics(current.state, [...found, ...told]))
  }, [value, faults, language, label, readOnly])
  const show = (fault: Fault): void => {
    const { current } = view
    if (!current) return
    const { from, to } = diagnosticOf(current.state.doc, fault)
    current.dispatch({ selection: { anchor: from, head: to }, scrollIntoView: true })
    current.focus()
  }
  return (
    <>
      <div ref={host} />
      <Faults faults={[...own, ...faults]} show={show} />
    </>
  )
}
