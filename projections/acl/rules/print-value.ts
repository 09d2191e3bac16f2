// The texts of values that hold no others, and of comments, as they are printed.
import type { CommentGroup } from './comments.js'
import type { Value } from './tree.js'

/** As written; a heredoc without its last line feed. `null`, which only JSON has, is nothing. */
export const printedText = (value: Value): string => {
  switch (value.type) {
    case 'heredoc':
      return value.text.replace(/\n$/, '')
    case 'string':
    case 'number':
    case 'boolean':
      return value.text
    case 'null':
    case 'object':
    case 'list':
      return ''
  }
}

export const linesOf = (text: string): number => text.split('\n').length

/** Comments behind an item, one after another. */
export const textOf = (group: CommentGroup): string => group.map(({ text }) => text).join('')
