// A prepared query as the commands about it find and print it.
import { Failed } from '../failures.js'
import { fields } from '../remote/output.js'
import type { Run } from '../remote/command.js'

interface Service {
  readonly Service: string
  readonly Failover?: { readonly NearestN?: number; readonly Datacenters?: readonly string[] | null }
  readonly OnlyPassing?: boolean
  readonly Near?: string
  readonly Tags?: readonly string[] | null
  readonly Connect?: boolean
}

export interface Query {
  readonly ID: string
  readonly Name: string
  readonly Session?: string
  readonly Token?: string
  readonly Template?: { readonly Type: string; readonly Regexp: string }
  readonly Service: Service
  readonly DNS?: { readonly TTL: string }
}

const failoverText = ({ Failover }: Service): string =>
  [Failover?.NearestN ? `the ${Failover.NearestN} nearest` : '', ...(Failover?.Datacenters ?? [])]
    .filter(each => each !== '')
    .join(', ')

export const queryText = ({ ID, Name, Session, Token, Template, Service, DNS }: Query): string =>
  fields([
    ['ID', ID],
    ['Name', Name],
    ['Template', Template?.Type && `${Template.Type} ${Template.Regexp}`.trimEnd()],
    ['Service', Service.Service],
    ['Tags', (Service.Tags ?? []).join(', ')],
    ['OnlyPassing', Service.OnlyPassing],
    ['Connect', Service.Connect],
    ['Near', Service.Near],
    ['Failover', failoverText(Service)],
    ['DNS TTL', DNS?.TTL],
    ['Session', Session],
    ['Token', Token]
  ])

const isId = (text: string): boolean => /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(text)

/** The ID of the query with this ID or name. @throws Failed when none has this name */
export const queryId = async (get: Run<unknown, unknown>['get'], which: string): Promise<string> => {
  if (isId(which)) return which
  const all = await (await get('/v1/query')).json<readonly Query[]>()
  const found = all.find(({ Name }) => Name === which)
  if (!found) throw new Failed(`there is no query named "${which}"`)
  return found.ID
}
