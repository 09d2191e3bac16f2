// The CodeMirror editor behind CodeEditor. It stands in a shadow root, where adopted style sheets replace the
// style elements that the content security policy of the page forbids.
import {
  LanguageSupport,
  StreamLanguage,
  type StringStream,
  bracketMatching,
  HighlightStyle,
  syntaxHighlighting
} from '@codemirror/language'
import { Button } from './button.js'
import { setDiagnostics, type Diagnostic, lintGutter, nextDiagnostic } from '@codemirror/lint'
import { jsonParseLinter, json } from '@codemirror/lang-json'
import { type Text, EditorState, type Extension } from '@codemirror/state'
import { EditorView, keymap, lineNumbers } from '@codemirror/view'
import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks'
import { defaultKeymap, history, historyKeymap } from '@codemirror/commands'
import { tags } from '@lezer/highlight'

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
  readonly readOnly: boolean
}

// Syntax highlighting of HCL, as far as policy rules need it.

interface HclState {
  /** Terminator of the open comment or heredoc. */
  until: string | undefined
  part: 'comment' | 'string'
}

/** Consumes the line up to the terminator. */
const skipOpen = (stream: StringStream, state: HclState): string => {
  const { until = '', part } = state
  if (part === 'string') {
    if (stream.string.trim() === until) state.until = undefined
    stream.skipToEnd()
  } else if (stream.skipTo(until)) {
    stream.match(until)
    state.until = undefined
  } else stream.skipToEnd()
  return part
}

const hclLanguage = StreamLanguage.define<HclState>({
  name: 'hcl',
  startState: () => ({ until: undefined, part: 'comment' }),
  token: (stream, state) => {
    if (state.until !== undefined) return skipOpen(stream, state)
    if (stream.eatSpace()) return null
    if (stream.match(/^(?:#|\/\/)/)) {
      stream.skipToEnd()
      return 'comment'
    }
    if (stream.match('/*')) {
      Object.assign(state, { until: '*/', part: 'comment' })
      return 'comment'
    }
    const heredoc = stream.match(/^<<-?(\w+)/)
    if (Array.isArray(heredoc)) {
      Object.assign(state, { until: heredoc[1], part: 'string' })
      return 'string'
    }
    if (stream.match(/^"(?:[^"\\]|\\.)*"?/)) return 'string'
    if (stream.match(/^-?\d[\w.]*/)) return 'number'
    if (stream.match(/^(?:true|false)\b/)) return 'bool'
    if (stream.match(/^[A-Za-z_][\w-]*/)) return 'propertyName'
    stream.next()
    return null
  },
  languageData: { commentTokens: { line: '#', block: { open: '/*', close: '*/' } } }
})

const hcl = (): LanguageSupport => new LanguageSupport(hclLanguage)

const colours = HighlightStyle.define([
  { tag: [tags.propertyName, tags.keyword], color: 'var(--accent)' },
  { tag: tags.string, color: 'var(--code-string)' },
  { tag: [tags.number, tags.bool, tags.null], color: 'var(--code-number)' },
  { tag: tags.comment, color: 'var(--quiet)', fontStyle: 'italic' }
])

const BOX = { background: 'var(--raised)', color: 'var(--ink)', border: '1px solid var(--line)' }

const look = EditorView.theme({
  '&': { background: 'var(--ground)', border: '1px solid var(--line)', borderRadius: '4px' },
  '&.cm-focused': { outline: '2px solid var(--accent)', outlineOffset: '1px' },
  '.cm-scroller': { fontFamily: 'monospace', maxHeight: '30rem', overflow: 'auto' },
  '.cm-content': { minHeight: '5rem', caretColor: 'var(--ink)' },
  '.cm-gutters': { background: 'var(--raised)', color: 'var(--quiet)', borderRight: '1px solid var(--line)' },
  '.cm-tooltip': BOX
})

/** Returns the browser's selection, which the state of the editor follows only later. */
const selectedIn = (view: EditorView): { readonly from: number; readonly to: number } => {
  const { root } = view
  const shadowRoots = root instanceof ShadowRoot ? [root] : []
  const [range] = document.getSelection()?.getComposedRanges({ shadowRoots }) ?? []
  if (!range || !view.contentDOM.contains(range.startContainer)) return view.state.selection.main
  const from = view.posAtDOM(range.startContainer, range.startOffset)
  return { from, to: view.posAtDOM(range.endContainer, range.endOffset) }
}

/** Browsers keep the style of overwritten text in an inline style, which the content security policy forbids. */
const writesOver = EditorView.domEventHandlers({
  beforeinput: ({ inputType, data, isComposing }, view) => {
    if (inputType !== 'insertText' || isComposing || data === null || view.state.readOnly) return false
    const { from, to } = selectedIn(view)
    if (from === to) return false
    const insert = view.state.toText(data)
    const selection = { anchor: from + insert.length }
    view.dispatch({ changes: { from, to, insert }, selection, scrollIntoView: true, userEvent: 'input.type' })
    return true
  }
})

const LANGUAGES = { json, hcl, text: (): Extension => [] }

/** Omits a Tab binding, because Tab must leave the editor for keyboard users. */
const extensionsFor = (
  language: CodeEditorProps['language'],
  label: string,
  readOnly: boolean
): Extension => [
  lineNumbers(),
  lintGutter(),
  history(),
  bracketMatching(),
  syntaxHighlighting(colours),
  look,
  writesOver,
  EditorView.lineWrapping,
  // axe recognises focusable content only by its `tabindex`.
  EditorView.contentAttributes.of({ 'aria-label': label, tabindex: '0' }),
  EditorState.readOnly.of(readOnly),
  keymap.of([{ key: 'F8', run: nextDiagnostic }, ...defaultKeymap, ...historyKeymap]),
  LANGUAGES[language]()
]

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
        <Button label={`Line ${fault.line}`} act={() => show(fault)} class="plain" />{' '}
        {fault.severity === 'warning' && 'Warning: '}
        {fault.message}
      </li>
    ))}
  </ul>
)

export const CodeMirror = ({ value, change, language, label, faults = NONE, readOnly }: CodeEditorProps) => {
  const host = useRef<HTMLDivElement>(null)
  const view = useRef<EditorView>(undefined)
  const changed = useRef(change)
  changed.current = change
  const [own, setOwn] = useState(NONE)
  useLayoutEffect(() => {
    const { current } = host
    if (!current) return
    const root = current.shadowRoot ?? current.attachShadow({ mode: 'open' })
    const changeListener = EditorView.updateListener.of(({ docChanged, state }) => {
      if (docChanged) changed.current(state.doc.toString())
    })
    const editor = new EditorView({
      doc: value,
      extensions: [extensionsFor(language, label, readOnly), changeListener],
      parent: root,
      root
    })
    view.current = editor
    return () => editor.destroy()
  }, [language, label, readOnly])
  // The value was changed elsewhere, for example by another user.
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
    setOwn(found.length === 0 ? NONE : found.map(diagnostic => faultOf(doc, diagnostic)))
    const external = faults.map(fault => diagnosticOf(doc, fault))
    current.dispatch(setDiagnostics(current.state, [...found, ...external]))
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
