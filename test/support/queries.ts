// Prepared queries for tests and benches, with defaults for all omitted fields.
import type { PreparedQuery, QueryInput, QueryService } from '../../events/prepared-query.js'

export interface QueryChanges extends Partial<Omit<QueryInput, 'Template' | 'Service'>> {
  readonly Template?: Partial<QueryInput['Template']>
  readonly Service?: Partial<QueryService>
}

/** Selects the instances of `web`. */
export const queryService = (changes: Partial<QueryService> = {}): QueryService => ({
  Service: 'web',
  Failover: { NearestN: 0, Datacenters: null },
  OnlyPassing: false,
  IgnoreCheckIDs: null,
  Near: '',
  Tags: null,
  NodeMeta: null,
  ServiceMeta: null,
  Connect: false,
  ...changes
})

/** Returns a query named `web` as a request body. */
export const queryInput = ({ Template, Service, ...rest }: QueryChanges = {}): QueryInput => ({
  Name: 'web',
  Session: '',
  Token: '',
  Template: { Type: '', Regexp: '', RemoveEmptyTags: false, ...Template },
  Service: { Namespace: '', ...queryService(Service) },
  DNS: { TTL: '' },
  ...rest
})

/** Returns a query as in an event of commit `index`. */
export const storedQuery = (ID: string, changes: QueryChanges = {}, index = 1): PreparedQuery => ({
  ID,
  ...queryInput(changes),
  Service: queryService(changes.Service),
  CreateIndex: index,
  ModifyIndex: index
})
