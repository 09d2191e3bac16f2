// The content of arguments: literal, standard input for `-`, or a file for `@file`.
import { messageOf } from '../../../events/errors.js'
import { isObject } from '../../../events/values.js'
import { readFile } from 'node:fs/promises'
import { buffer } from 'node:stream/consumers'
import { readable, UsageError, type Console } from '../console.js'

export const CONTENT = '- for standard input, @FILE for the content of a file'

/** @throws UsageError if the file cannot be read */
export const contentOf = async (input: string, console: Console): Promise<Buffer> => {
  if (input === '-') return await buffer(console.in)
  if (!input.startsWith('@')) return Buffer.from(input)
  return await readable(input.slice(1), readFile(input.slice(1)))
}

export const textContent = async (input: string, console: Console): Promise<string> =>
  (await contentOf(input, console)).toString()

/** @throws UsageError */
export const jsonContent = async (input: string, console: Console): Promise<unknown> => {
  const text = await textContent(input, console)
  try {
    return JSON.parse(text)
  } catch (error) {
    const where = input === '-' ? 'standard input' : input.startsWith('@') ? input.slice(1) : 'the argument'
    throw new UsageError(`${where} is not JSON: ${messageOf(error)}`)
  }
}

export const DEFINITION = 'file with HCL or JSON; - for standard input'

/** A service or configuration entry in HCL or JSON. */
export type Definition = Readonly<Record<string, unknown>>

/** @param input a file name with or without `@`, `-`, or the definition as JSON @throws UsageError */
export const definitionIn = async (input: string, console: Console): Promise<Definition> => {
  const isItself = input === '-' || input.startsWith('@') || input.trimStart().startsWith('{')
  const text = await textContent(isItself ? input : `@${input}`, console)
  return parseDefinition(text, input === '-' ? 'standard input' : isItself ? 'the definition' : input)
}

/** @param where names the text in errors @throws UsageError */
export const parseDefinition = async (text: string, where: string): Promise<Definition> => {
  const { readHcl } = await import('../../../server/settings/hcl/read-hcl.js')
  try {
    return readHcl(text)
  } catch (error) {
    throw error instanceof Error && error.name === 'HclError'
      ? new UsageError(`${where} is neither HCL nor JSON: ${error.message}`)
      : error
  }
}

/** Reads a field whose name may have any letter case. */
export const definitionTextIn = (definition: Definition, name: string): unknown =>
  Object.entries(definition).find(([input]) => input.toLowerCase() === name.toLowerCase())?.[1]

/** Reads a single definition, one under `one`, or several under `many`. @throws UsageError */
export const definitionsIn = async (
  input: string,
  { one, many }: { readonly one: string; readonly many: string },
  console: Console
): Promise<readonly Definition[]> => {
  const definition = await definitionIn(input, console)
  const [single, several] = [definitionTextIn(definition, one), definitionTextIn(definition, many)]
  const found =
    single === undefined && several === undefined ? [definition] : [single ?? [], several ?? []].flat()
  return found.map(element => {
    if (!isObject(element))
      throw new UsageError(`${input}: "${one}" must be an object, "${many}" a list of such`)
    return element
  })
}
