// Parses HCL (version 1) or JSON of configuration entries and configuration files.
import { RuleError } from '../../../projections/acl/rules/model.js'
import { parseDocument } from '../../../projections/acl/rules/syntax.js'
import type { Document, Item, Value } from '../../../projections/acl/rules/tree.js'

/** The message contains line and column, and at most one character of the text. */
export class HclError extends Error {
  override readonly name = 'HclError'
}

export type Content = Readonly<Record<string, unknown>>

/**
 * Parses JSON if the first non-blank character is `{`, otherwise HCL. A block is an object, and repeated blocks are a list of objects. The
 * labels of a block are nested objects, from the outside to the inside.
 * @throws HclError for invalid text, and for a name with two values
 */
export const readHcl = (text: string): Content => {
  try {
    const document = parseDocument(text)
    return contentOf(document, document.items)
  } catch (error) {
    if (error instanceof RuleError) throw new HclError(error.syntax ?? error.message)
    throw error
  }
}

const contentOf = (document: Document, items: readonly Item[]): Content => {
  const found = new Map<string, unknown>()
  for (const item of items) {
    const [{ name }] = item.keys
    const value = item.keys
      .slice(1)
      .reduceRight<unknown>((inner, label) => ({ [label.name]: inner }), valueOf(document, item.value))
    if (!found.has(name)) found.set(name, value)
    else found.set(name, together(document, item, found.get(name), value))
  }
  return Object.fromEntries(found)
}

/** Merges a repeated name with its earlier value. */
const together = (document: Document, { keys, assigned }: Item, before: unknown, value: unknown): unknown => {
  const isBlock = (given: unknown): boolean => typeof given === 'object' && given !== null
  if (!assigned && isBlock(before)) return [...(Array.isArray(before) ? before : [before]), value]
  const { line, column } = document.positionOf(keys[0].start)
  throw new HclError(`At ${line}:${column}: ${keys[0].name} is given twice`)
}

const valueOf = (document: Document, value: Value): unknown => {
  switch (value.type) {
    case 'string':
      return value.value
    case 'heredoc':
      return value.text.startsWith('<<-') ? withoutIndent(value.text, value.value) : value.value
    case 'number':
      return numberOf(value.text)
    case 'boolean':
      return value.text === 'true'
    case 'null':
      return null
    case 'list':
      return value.elements.map(element => valueOf(document, element))
    case 'object':
      return contentOf(document, value.items)
  }
}

/** A leading 0 marks octal numbers. */
const numberOf = (text: string): number => {
  const [, sign = '', digits = ''] = /^(-?)(.*)$/.exec(text) ?? []
  const size = /^0\d+$/.test(digits) ? Number.parseInt(digits, 8) : Number(digits)
  return sign === '-' ? -size : size
}

/** Removes the indent of the closing line from the body of `<<-`, if all lines have it. */
const withoutIndent = (text: string, body: string): string => {
  const indent = /([\t ]*)[^\n\t ]*\n?$/.exec(text)?.[1] ?? ''
  const lines = body.split('\n')
  const isIndented = lines.every((line, index) => line.startsWith(indent) || index === lines.length - 1)
  return isIndented ? lines.map(line => line.slice(indent.length)).join('\n') : body
}
