// Definitions in files, as people write them for services and configuration entries.
import { UsageError, type Console } from '../console.js'
import { textContent } from './content.js'

/** How help explains such an argument. */
export const DEFINITION = 'file with HCL or JSON; - for standard input'

/** What a definition says, by name. */
export type Definition = Readonly<Record<string, unknown>>

const isDefinition = (value: unknown): value is Definition =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** @param given name of a file, also behind `@`; or `-`; or the definition itself as JSON @throws UsageError */
export const definitionIn = async (given: string, console: Console): Promise<Definition> => {
  const isItself = given === '-' || given.startsWith('@') || given.trimStart().startsWith('{')
  const [text, { readHcl }] = await Promise.all([
    textContent(isItself ? given : `@${given}`, console),
    import('../../../server/settings/hcl/read-hcl.js')
  ])
  try {
    return readHcl(text)
  } catch (error) {
    const where = given === '-' ? 'standard input' : isItself ? 'the definition' : given
    throw error instanceof Error && error.name === 'HclError'
      ? new UsageError(`${where} is neither HCL nor JSON: ${error.message}`)
      : error
  }
}

/** What a definition says under a name, in whatever letter case. */
export const definitionTextIn = (definition: Definition, name: string): unknown =>
  Object.entries(definition).find(([given]) => given.toLowerCase() === name.toLowerCase())?.[1]

/** The definitions in a file that holds one by itself, one under `one`, or several under `many`. */
export const definitionsIn = async (
  given: string,
  { one, many }: { readonly one: string; readonly many: string },
  console: Console
): Promise<readonly Definition[]> => {
  const definition = await definitionIn(given, console)
  const [single, several] = [definitionTextIn(definition, one), definitionTextIn(definition, many)]
  const found =
    single === undefined && several === undefined ? [definition] : [single ?? [], several ?? []].flat()
  return found.map(each => {
    if (!isDefinition(each))
      throw new UsageError(`${given}: "${one}" must be an object, "${many}" a list of such`)
    return each
  })
}
