/** The least that a proxy on Node.js can do: it forwards to the origin that it is given, and looks at nothing. */
import { Agent, createServer, request as requestOver } from 'node:http';

const [, , port, target = ''] = process.argv;
const { hostname, port: targetPort } = new URL(target);
const agent = new Agent({ keepAlive: true });

createServer((request, response) => {
  const { method, url: path, headers } = request;
  const sent = requestOver({ agent, hostname, port: targetPort, method, path, headers }, (answer) => {
    response.writeHead(answer.statusCode ?? 502, answer.headers);
    answer.pipe(response);
  });
  sent.on('error', () => response.destroy());
  request.pipe(sent);
}).listen(Number(port), '127.0.0.1');
