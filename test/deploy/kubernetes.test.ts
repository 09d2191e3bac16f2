// The manifests for Kubernetes: their kinds are as Kubernetes has them, and the servers in them have sound settings.
import { readFileSync } from 'node:fs'
import test from 'ava'
import { loadAll } from 'js-yaml'
import { StatefulSet } from 'kubernetes-models/apps/v1'
import { PodDisruptionBudget } from 'kubernetes-models/policy/v1'
import { Service } from 'kubernetes-models/v1'
import { loadSettings } from '../../server/settings/load.js'
import { programVersion } from '../../events/version.js'
import { serverInProcess } from '../support/server.js'
import { dockerfile, imageEnvironment } from '../support/image.js'

const KEY = Buffer.alloc(32, 7).toString('base64')
const ADDRESS = '10.1.2.3'

const documents = (file: string): unknown[] => loadAll(readFileSync(`deploy/kubernetes/${file}`, 'utf8'))

/** What a file holds, by kind. @throws Error for what is not as Kubernetes has it */
const manifests = (file: string) => {
  const all = documents(file)
  const sets = all.filter(StatefulSet.is).map(each => new StatefulSet(each))
  const services = all.filter(Service.is).map(each => new Service(each))
  const budgets = all.filter(PodDisruptionBudget.is).map(each => new PodDisruptionBudget(each))
  for (const each of [...sets, ...services, ...budgets]) each.validate()
  const [set] = sets
  if (!set || sets.length > 1) throw new Error(`${file} has ${sets.length} stateful sets`)
  return { set, services, budgets, count: all.length }
}

/** The variables of a pod, with what Kubernetes would put in. */
const environmentOf = ({ spec }: StatefulSet): Record<string, string> => {
  const made = imageEnvironment()
  for (const { name, value, valueFrom } of spec?.template.spec?.containers[0]?.env ?? []) {
    const field = valueFrom?.fieldRef?.fieldPath
    const given = field === 'metadata.name' ? 'annals-0' : field === 'status.podIP' ? ADDRESS : KEY
    made[name] = value?.replaceAll(/\$\((\w+)\)/g, (_, other: string) => made[other] ?? '') ?? given
  }
  return made
}

for (const file of ['one.yaml', 'three.yaml'])
  test(`${file}: a server, its probes, its volume and its rights are as the server needs them`, async t => {
    const { set, services, budgets, count } = manifests(file)
    t.is(1 + services.length + budgets.length, count)
    const { template, serviceName, volumeClaimTemplates } = set.spec ?? {}
    t.true(services.some(({ metadata }) => metadata?.name === serviceName))
    const pod = template?.spec
    const container = pod?.containers[0]
    t.is(container?.image, `annals:${programVersion()}`)
    const user = `USER ${pod?.securityContext?.runAsUser}:${pod?.securityContext?.runAsGroup}`
    t.true(dockerfile().includes(user))
    t.like(container?.securityContext, { readOnlyRootFilesystem: true, allowPrivilegeEscalation: false })

    const { data_dir, ports, addresses } = loadSettings({ env: environmentOf(set), flags: {} })
    t.is(addresses.http, '0.0.0.0')
    t.deepEqual(
      container?.ports?.map(({ containerPort }) => containerPort),
      [ports.http, ports.dns, ports.dns]
    )
    const volume = volumeClaimTemplates?.[0]?.metadata?.name
    t.true(container?.volumeMounts?.some(({ name, mountPath }) => name === volume && mountPath === data_dir))

    const server = await serverInProcess(t)
    const probes = [container?.startupProbe, container?.livenessProbe, container?.readinessProbe]
    for (const probe of probes) {
      t.is(probe?.httpGet?.port, 'http')
      const { status } = await server.send('GET', probe?.httpGet?.path ?? '', { token: undefined })
      t.is(status, 200)
    }
  })

test('the three servers are a cluster, and each tells the others its own address', t => {
  const { set, budgets } = manifests('three.yaml')
  t.is(set.spec?.replicas, 3)
  t.is(budgets[0]?.spec?.maxUnavailable, 1)
  const { cluster, bind, node_name } = loadSettings({ env: environmentOf(set), flags: {} })
  t.true(cluster.enabled)
  t.is(cluster.etcd.endpoints.length, 3)
  t.is(cluster.advertise, `http://${ADDRESS}:8500`)
  t.deepEqual([bind, node_name], [ADDRESS, 'annals-0'])
})
