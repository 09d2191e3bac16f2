// HCL and JSON as plain values.
import test from 'ava'
import { HclError, readHcl } from '../../../../server/settings/hcl/read-hcl.js'

const RESOLVER = `
# As people write a configuration entry.
Kind           = "service-resolver"
Name           = "web"
ConnectTimeout = "3s"
Failover = {
  "*" = { Datacenters = ["dc2", "dc3",] }
}
Subsets {
  v1 { Filter = "Service.Meta.version == \\"1\\"", OnlyPassing = true }
}
Meta = { weight = "0x10" }
Numbers = [1, -2.5, 0x10, 010, 1e3]
`

test('assignments, blocks and lists become objects and lists', t => {
  t.deepEqual(readHcl(RESOLVER), {
    Kind: 'service-resolver',
    Name: 'web',
    ConnectTimeout: '3s',
    Failover: { '*': { Datacenters: ['dc2', 'dc3'] } },
    Subsets: { v1: { Filter: 'Service.Meta.version == "1"', OnlyPassing: true } },
    Meta: { weight: '0x10' },
    Numbers: [1, -2.5, 16, 8, 1000]
  })
})

test('several blocks of one name are a list, and labels are objects in objects', t => {
  t.deepEqual(readHcl('Sources { Name = "a" }\nSources { Name = "b" }\nservice "web" "x" { port = 1 }'), {
    Sources: [{ Name: 'a' }, { Name: 'b' }],
    service: { web: { x: { port: 1 } } }
  })
})

test('the lines of an indented text stand as far in as its end', t => {
  const text = 'Text = <<-EOF\n    one\n      two\n    EOF\nPlain = <<EOF\n  one\nEOF\n'
  t.deepEqual(readHcl(text), { Text: 'one\n  two\n', Plain: '  one\n' })
})

test('JSON is read by the same names', t => {
  t.deepEqual(
    readHcl(' {"acl": {"enabled": true, "tokens": null}, "ports": {"http": -1}, "list": [{"a": "\\u00e9"}]}'),
    { acl: { enabled: true, tokens: null }, ports: { http: -1 }, list: [{ a: 'é' }] }
  )
  t.deepEqual(readHcl(''), {})
})

test('invalid text is reported with its place, and one name has one value', t => {
  t.throws(() => readHcl('a = 1\nb = ]'), { instanceOf: HclError, message: /^At 2:5: / })
  t.throws(() => readHcl('a = 1\na = 2'), { instanceOf: HclError, message: 'At 2:1: a is given twice' })
  t.throws(() => readHcl('{"a": 1, "a": {}}'), { instanceOf: HclError, message: /a is given twice/ })
  t.throws(() => readHcl('{"a": "secret'), { instanceOf: HclError, message: /^(?!.*secret)At 1:/ })
})
