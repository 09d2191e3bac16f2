// Single operations by method and path, with the types of the API.
import type { paths } from '../../../api/paths.js'
import { Answer } from '../answer.js'
import type { Connection, Query, QueryValue } from '../connection.js'

type Method = 'get' | 'put' | 'post' | 'delete'

/** The paths that have an operation with this method. */
export type PathsWith<M extends Method> = {
  [Path in keyof paths]: paths[Path] extends { readonly [Name in M]: object } ? Path : never
}[keyof paths]

type Operation<M extends Method, Path extends PathsWith<M>> = paths[Path][M]

/** The JSON of a successful response; undefined for other content. */
export type ResponseOf<M extends Method, Path extends PathsWith<M>> =
  Operation<M, Path> extends {
    readonly responses: { readonly 200: { readonly content: { readonly 'application/json': infer Json } } }
  }
    ? Json
    : undefined

type Partly<T> = T extends readonly (infer Element)[]
  ? readonly Partly<Element>[]
  : T extends object
    ? { readonly [Name in keyof T]?: Partly<T[Name]> | undefined }
    : T

/** The JSON body, whose fields may be undefined. */
export type BodyOf<M extends Method, Path extends PathsWith<M>> =
  Operation<M, Path> extends {
    readonly requestBody?: { readonly content: { readonly 'application/json': infer Json } }
  }
    ? Partly<Json>
    : undefined

type PathParametersOf<O> = O extends { readonly parameters: { readonly path: infer Parameters } }
  ? Parameters
  : {}
type QueryOf<O> = O extends { readonly parameters: { readonly query?: infer Parameters } }
  ? [Parameters] extends [never]
    ? {}
    : { readonly [Name in keyof Parameters]?: QueryValue }
  : {}

/** Path parameters, which are required, and query parameters. */
export type ParametersOf<M extends Method, Path extends PathsWith<M>> = PathParametersOf<Operation<M, Path>> &
  QueryOf<Operation<M, Path>>

/** The parameters as an argument of a function, optional if none is required. */
export type ParameterArgument<M extends Method, Path extends PathsWith<M>> =
  {} extends ParametersOf<M, Path>
    ? [parameters?: ParametersOf<M, Path>]
    : [parameters: ParametersOf<M, Path>]

const isQueryValue = (value: unknown): value is QueryValue =>
  ['string', 'number', 'boolean'].includes(typeof value) ||
  (Array.isArray(value) && value.every(element => typeof element === 'string'))

/** Returns the path with its encoded parameters, and the other parameters. */
const addressOf = (template: string, parameters: Readonly<Record<string, unknown>>) => {
  const query: Record<string, QueryValue> = {}
  for (const [name, value] of Object.entries(parameters))
    if (!template.includes(`{${name}}`) && isQueryValue(value)) query[name] = value
  const path = template.replaceAll(/{([^}]+)}/g, (_, name: string) =>
    encodeURIComponent(String(parameters[name]))
  )
  return { path, query }
}

/** Parses as undefined. */
const withoutJson = (): Answer => new Answer(new Response(), () => undefined)

/**
 * Sends a request. Returns the JSON of the response without validating it, undefined for other content.
 * @throws RequestRefused, Unreachable
 */
export const callOperation = async <M extends Method, Path extends PathsWith<M>>(
  connection: Connection,
  method: M,
  template: Path,
  { body, query: common, parameters }: OperationInput<M, Path>
): Promise<ResponseOf<M, Path>> => {
  const { path, query } = addressOf(template, { ...parameters })
  const answer = await connection.request(method.toUpperCase(), path, {
    query: { ...common, ...query },
    body
  })
  const isJson = answer.headers.get('Content-Type')?.startsWith('application/json') ?? false
  return (isJson ? answer : withoutJson()).json<ResponseOf<M, Path>>()
}

interface OperationInput<M extends Method, Path extends PathsWith<M>> {
  readonly body?: BodyOf<M, Path> | undefined
  readonly parameters?: ParametersOf<M, Path> | undefined
  /** Parameters that many operations have. */
  readonly query?: Query
}
