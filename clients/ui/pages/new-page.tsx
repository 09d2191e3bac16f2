// The page that creates a resource of a kind.
import { useState } from 'preact/hooks'
import { announce, Breadcrumbs, Field, Heading } from '../design/index.js'
import { resourcePage, type Kind } from '../resources/kind.js'
import { namespaces, partitions } from '../resources/kinds.js'
import { ALL, useTenancy } from '../session/tenancy.js'
import { useRoute } from '../session/use-response.js'
import { useView } from './resource/use-view.js'

export const NewPage = ({ kind }: { readonly kind: Kind }) => {
  const route = useRoute()
  const { ns, query } = useTenancy()
  const [namespace, setNamespace] = useState(ns === ALL ? '' : ns)
  const { New } = useView(kind.topic) ?? {}
  const { path, title, one } = kind
  const isTenancy = kind === namespaces || kind === partitions
  const partition = kind === partitions ? undefined : query.partition
  const place = { ns: isTenancy ? undefined : namespace.trim() || undefined, partition }
  const target = { path: `/v1/${isTenancy ? '' : 'acl/'}${one.replace(' ', '-')}`, id: undefined, place }
  const open = (key: string): void => {
    route(resourcePage(path, { key, ...place }))
    announce(`Created ${one}.`)
  }
  return (
    <main class="resource">
      <Breadcrumbs links={[[`/ui/${path}`, title]]} />
      <Heading>{`Create ${one}${isTenancy && partition ? ` in partition ${partition}` : ''}`}</Heading>
      {!isTenancy && (
        <div class="acl-form">
          <Field label="Namespace" placeholder="default" value={namespace} change={setNamespace} />
        </div>
      )}
      {New && <New target={target} done={open} />}
    </main>
  )
}
