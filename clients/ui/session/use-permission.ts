// Whether who looks may do something, so that a page offers only what would be done.
import { useEffect, useState } from 'preact/hooks'
import type { TenancyQuery } from './tenancy-query.js'
import { client } from './session.js'

/** @param access such as `write` @param resource such as `acl` @returns undefined until the server has said so */
export const usePermission = (
  access: string,
  resource: string,
  { ns, partition }: TenancyQuery
): boolean | undefined => {
  const [may, setMay] = useState<boolean>()
  const asking = client.value
  useEffect(() => {
    const ended = new AbortController()
    const question = { Resource: resource, Access: access, Namespace: ns, Partition: partition }
    asking.connection
      .request('POST', '/v1/internal/acl/authorize', { body: [question], signal: ended.signal })
      .then(answer => answer.json<readonly { readonly Allow: boolean }[]>())
      .then(
        ([answer]) => setMay(answer?.Allow),
        // Who cannot be told is told when it is tried.
        () => setMay(undefined)
      )
    return () => ended.abort()
  }, [asking, access, resource, ns, partition])
  return may
}
