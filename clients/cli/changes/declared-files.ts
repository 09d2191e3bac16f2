// The files that declare resources: HCL, JSON or YAML in a folder.
import { readdir, readFile } from 'node:fs/promises'
import { dirname, extname, join } from 'node:path'
import { hasCode, messageOf } from '../../../events/errors.js'
import { isObject } from '../../../events/values.js'
import { parseExact } from '../../exact-json.js'
import { UsageError } from '../console.js'
import { type Content, declaredChange, isKind, type Declaration } from './declarations.js'

const parsers: Readonly<Record<string, (text: string) => Promise<unknown>>> = {
  '.json': async text => parseExact(text),
  '.hcl': async text => (await import('../../../server/settings/hcl/read-hcl.js')).readHcl(text),
  '.yaml': async text => parseYaml(text),
  '.yml': async text => parseYaml(text)
}

/** Returns the documents of a file. @throws Error */
const parseYaml = async (text: string): Promise<unknown> => {
  const { parseAllDocuments } = await import('yaml')
  return parseAllDocuments(text, { intAsBigInt: true }).flatMap(document => {
    const [error] = document.errors ?? []
    if (error) throw error
    const value: unknown = document.toJS()
    return value ?? []
  })
}

const isDeclarationFile = (name: string): boolean => extname(name) in parsers

/** Returns the paths of the files, sorted, without hidden ones. @throws UsageError */
export const declarationFiles = async (folder: string): Promise<readonly string[]> => {
  try {
    const entries = await readdir(folder, { recursive: true })
    return entries
      .filter(name => isDeclarationFile(name) && !/(^|\/)\./.test(name))
      .toSorted()
      .map(name => join(folder, name))
  } catch (error) {
    throw new UsageError(
      hasCode(error, 'ENOENT')
        ? `there is no folder ${folder}`
        : `${folder} cannot be read: ${messageOf(error)}`
    )
  }
}

interface Declared {
  readonly kind: string
  readonly name: string | undefined
  readonly fields: Content
}

/** Yields declarations with `Kind`, and those in blocks: `policy "web" { … }`, in YAML and JSON `policy: {web: {…}}`. @throws UsageError */
function* declarationsIn(value: unknown, path: string): Iterable<Declared> {
  for (const element of Array.isArray(value) ? value : [value]) {
    if (!isObject(element)) throw new UsageError(`${path}: it must have objects with Kind and Name`)
    const { Kind: kind, Name: name, Key: key, ...fields } = element
    if (typeof kind === 'string') yield { kind, name: textIn(name) ?? textIn(key), fields }
    else yield* blocksIn(element, path)
  }
}

const textIn = (value: unknown): string | undefined => (typeof value === 'string' ? value : undefined)

function* blocksIn(blocks: Content, path: string): Iterable<Declared> {
  for (const [kind, named] of Object.entries(blocks)) {
    if (!isKind(kind))
      throw new UsageError(`${path}: ${JSON.stringify(kind)} is no kind, and Kind is missing`)
    for (const block of Array.isArray(named) ? named : [named])
      for (const [name, fields] of Object.entries(Object(block))) {
        if (!isObject(fields))
          throw new UsageError(`${path}: ${kind} ${JSON.stringify(name)} must be an object`)
        yield { kind, name, fields }
      }
  }
}

/** Reads all declarations of a file. @throws UsageError that names the file */
export const readDeclarationFile = async (path: string): Promise<readonly Declaration[]> => {
  let content: unknown
  if (!isDeclarationFile(path))
    throw new UsageError(`${path}: its name must end with .hcl, .json, .yaml or .yml`)
  try {
    const text = await readFile(path, 'utf8')
    content = await parsers[extname(path)]?.(text)
  } catch (error) {
    throw new UsageError(`${path}: ${messageOf(error)}`)
  }
  const all: Declaration[] = []
  for (const { kind, name, fields } of declarationsIn(content, path))
    all.push(await declaredChange({ kind, name, fields, path, folder: dirname(path) }))
  return all
}

/** Reads all declarations of a folder. @throws UsageError that names the file, also for a resource that is declared twice */
export const readDeclarations = async (folder: string): Promise<readonly Declaration[]> => {
  const all: Declaration[] = []
  const paths = new Map<string, string>()
  for (const path of await declarationFiles(folder))
    for (const declaration of await readDeclarationFile(path)) {
      const { Kind, Name, Namespace, Partition } = declaration.change
      const key = JSON.stringify([Kind, Name, Namespace, Partition])
      const other = paths.get(key)
      if (other !== undefined) throw new UsageError(`${path}: ${Kind} ${Name} is declared in ${other}, too`)
      paths.set(key, path)
      all.push(declaration)
    }
  return all
}
