// Syntax highlighting of HCL, as far as policy rules need it.
import { LanguageSupport, StreamLanguage, type StringStream } from '@codemirror/language'

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

export const hcl = (): LanguageSupport => new LanguageSupport(hclLanguage)
