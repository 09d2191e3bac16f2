// What arguments hold, or where it is to be read: `-` is standard input, and `@file` a file.
import { readFile } from 'node:fs/promises'
import { buffer } from 'node:stream/consumers'
import { UsageError, type Console } from '../console.js'

/** How help explains such an argument. */
export const CONTENT = '- for standard input, @FILE for the content of a file'

/** @throws UsageError when the file cannot be read */
export const contentOf = async (given: string, console: Console): Promise<Buffer> => {
  if (given === '-') return await buffer(console.in)
  if (!given.startsWith('@')) return Buffer.from(given)
  try {
    return await readFile(given.slice(1))
  } catch (error) {
    throw new UsageError(
      `${given.slice(1)} cannot be read: ${error instanceof Error ? error.message : 'unknown'}`
    )
  }
}

/** The same as text. */
export const textContent = async (given: string, console: Console): Promise<string> =>
  (await contentOf(given, console)).toString()

/** JSON that an argument holds. @throws UsageError */
export const jsonContent = async (given: string, console: Console): Promise<unknown> => {
  const text = await textContent(given, console)
  try {
    return JSON.parse(text)
  } catch (error) {
    const where = given === '-' ? 'standard input' : given.startsWith('@') ? given.slice(1) : 'the argument'
    throw new UsageError(`${where} is no JSON: ${error instanceof Error ? error.message : 'unknown'}`)
  }
}
