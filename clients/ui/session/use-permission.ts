// A permission check of the current token, so that pages offer only permitted actions.
import { useEffect, useState } from 'preact/hooks'
import type { TenancyQuery } from './tenancy-query.js'
import { client } from './session.js'

/** @param access such as `write` @param resource such as `acl` @returns undefined until the server has answered */
export const usePermission = (
  access: string,
  resource: string,
  { ns, partition }: TenancyQuery
): boolean | undefined => {
  const [isAllowed, setIsAllowed] = useState<boolean>()
  const currentClient = client.value
  useEffect(() => {
    const controller = new AbortController()
    const check = { Resource: resource, Access: access, Namespace: ns, Partition: partition }
    currentClient.connection
      .request('POST', '/v1/internal/acl/authorize', { body: [check], signal: controller.signal })
      .then(answer => answer.json<readonly { readonly Allow: boolean }[]>())
      .then(
        ([answer]) => setIsAllowed(answer?.Allow),
        // The attempt itself reports the failure.
        () => setIsAllowed(undefined)
      )
    return () => controller.abort()
  }, [currentClient, access, resource, ns, partition])
  return isAllowed
}
