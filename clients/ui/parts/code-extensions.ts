// What the editor of code can do, and how it looks: in the colours of the page.
import { defaultKeymap, history, historyKeymap } from '@codemirror/commands'
import { json } from '@codemirror/lang-json'
import { bracketMatching, HighlightStyle, syntaxHighlighting } from '@codemirror/language'
import { lintGutter, nextDiagnostic } from '@codemirror/lint'
import { EditorState, type Extension } from '@codemirror/state'
import { EditorView, keymap, lineNumbers } from '@codemirror/view'
import { tags } from '@lezer/highlight'
import type { CodeEditorProps } from './code-editor-props.js'
import { hcl } from './hcl-mode.js'

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
  '.cm-gutters': {
    background: 'var(--raised)',
    color: 'var(--quiet)',
    borderRight: '1px solid var(--line)'
  },
  '.cm-tooltip': BOX
})

/** What is selected in the browser, of which the editor hears a moment later. */
const selectedIn = (view: EditorView): { readonly from: number; readonly to: number } => {
  const { root } = view
  const shadowRoots = root instanceof ShadowRoot ? [root] : []
  const [range] = document.getSelection()?.getComposedRanges({ shadowRoots }) ?? []
  if (!range || !view.contentDOM.contains(range.startContainer)) return view.state.selection.main
  const from = view.posAtDOM(range.startContainer, range.startOffset)
  return { from, to: view.posAtDOM(range.endContainer, range.endOffset) }
}

/** Browsers keep the look of what is written over by an inline style, which the page's policy refuses. */
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

/** Tab is left to the page, so that nobody is caught in the editor. */
export const extensionsFor = (
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
  // What can be edited takes the focus by itself, of which axe knows only by its `tabindex`.
  EditorView.contentAttributes.of({ 'aria-label': label, tabindex: '0' }),
  EditorState.readOnly.of(readOnly),
  keymap.of([{ key: 'F8', run: nextDiagnostic }, ...defaultKeymap, ...historyKeymap]),
  LANGUAGES[language]()
]
