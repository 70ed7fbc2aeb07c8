import { readFileSync } from 'node:fs';
import { connect } from 'node:http2';

// The least that a process can be which holds a session with mTLS. Plain JavaScript: what strips types is large.
const [port = '', folder = ''] = process.argv.slice(2);
const [cert, key, ca] = ['certificate.pem', 'key.pem', 'ca.pem'].map((name) => readFileSync(`${folder}/${name}`, 'utf8'));
const session = connect(`https://localhost:${port}`, { cert, key, ca });
session.on('connect', () => console.log('connected'));
setInterval(() => session.ping(() => {}), 5_000);
