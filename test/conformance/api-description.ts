// Whether answers are as the OpenAPI description says: a status that the operation has, and a body that its schema allows.
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js'
import { openApiOf } from '../../http/openapi/document.js'
import { allRoutes } from '../support/routes.js'
import { templatePath } from '../../http/wire/route-path.js'
import type { Route } from '../../http/wire/route.js'
import { isList, isObject, valueAt, type Json, type Transcript } from './case-file.js'

const ESCAPES: Readonly<Record<string, string>> = { '~': '~0', '/': '~1' }
const pointer = (...keys: readonly string[]): string =>
  keys.map(key => `/${key.replaceAll(/[~/]/g, found => ESCAPES[found] ?? '')}`).join('')

/** The paths of a route as expressions; the more of a path is literal, the sooner it is tried. */
const pathsOf = (route: Route) =>
  [route.path, ...(route.aliases ?? [])].map(path => ({
    route,
    literal: path.replaceAll(/[:*]\w+/g, '').length,
    expression: new RegExp(`^${path.replaceAll(/:\w+/g, '[^/]+').replace(/\*\w+$/, '.*')}$`)
  }))

/** What is sent must be declared: an object has the fields that its schema names, and no others. */
const closed = (schema: Json): Json => {
  if (isList(schema)) return schema.map(closed)
  if (!isObject(schema)) return schema
  const parts = Object.fromEntries(Object.entries(schema).map(([key, value]) => [key, closed(value)]))
  const isOpen = !isObject(schema['properties']) || schema['additionalProperties'] !== undefined
  return isOpen || schema['type'] !== 'object' ? parts : { ...parts, additionalProperties: false }
}

/** The description of the API, against which answers are held. Schemas are compiled when they are first needed. */
export class ApiDescription {
  readonly document: Json
  readonly #ajv = new Ajv2020({ strict: false, allErrors: true, validateFormats: false })
  readonly #validators = new Map<string, ValidateFunction>()
  readonly #paths = allRoutes.flatMap(pathsOf).toSorted((a, b) => b.literal - a.literal)

  constructor(routes: readonly Route[] = allRoutes) {
    this.document = JSON.parse(JSON.stringify(openApiOf(routes)))
    const whole = closed(this.document)
    if (!isObject(whole)) throw new Error('the description is no object')
    this.#ajv.addSchema({ $id: 'openapi', ...whole })
  }

  /** Whether a value is what a schema of the document allows. @returns the faults */
  check(at: readonly string[], value: Json): readonly string[] {
    const ref = `openapi#${encodeURI(pointer(...at))}`
    let validator = this.#validators.get(ref)
    if (!validator) this.#validators.set(ref, (validator = this.#ajv.compile({ $ref: ref })))
    if (validator(value)) return []
    return (validator.errors ?? []).map(
      ({ instancePath, message, params }) => `body${instancePath} ${message ?? ''} ${JSON.stringify(params)}`
    )
  }

  /**
   * What is not described of an answer; nothing where the request is one of no operation.
   * @param request method, blank, path with query
   */
  faults(request: string, { status, headers, body }: Transcript): readonly string[] {
    const [method = '', url = ''] = request.split(/ (.*)/)
    const path = new URL(url, 'http://server').pathname
    const found = this.#paths.find(one => one.route.method === method && one.expression.test(path))
    if (!found || found.route.isVariant || OF_NO_ROUTE.has(status)) return []
    const at = ['paths', templatePath(found.route.path), method.toLowerCase(), 'responses']
    const answers = this.#at(at)
    const declared =
      status < 500 ? String(status) : ['default', String(status)].findLast(one => has(answers, one))
    if (declared === undefined || !has(answers, declared)) return [`status ${status} is not described`]
    const reference = this.#at([...at, declared, '$ref'])
    const whole = typeof reference === 'string' ? reference.slice('#/'.length).split('/') : [...at, declared]
    const content = this.#at([...whole, 'content'])
    const type = headers['content-type']?.replace(/;.*/, '')
    if (type === undefined) return content === undefined || body === '' ? [] : ['an answer without a type']
    if (content === undefined || !has(content, type)) return [`an answer of type ${type} is not described`]
    return /^application\/json(-patch\+json)?$/.test(type)
      ? this.check([...whole, 'content', type, 'schema'], body)
      : []
  }

  #at(keys: readonly string[]): Json | undefined {
    return keys.reduce<Json | undefined>(
      (value, key) => (value === undefined ? undefined : isObject(value) ? value[key] : valueAt(value, key)),
      this.document
    )
  }
}

/** No answer, a path that leads to another one, and a method that no route has. */
const OF_NO_ROUTE: ReadonlySet<number> = new Set([0, 301, 405])

const has = (value: Json | undefined, key: string): boolean => isObject(value) && Object.hasOwn(value, key)
