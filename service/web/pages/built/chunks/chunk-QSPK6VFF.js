<<<<<<<< HEAD:service/web/pages/built/chunks/chunk-POIR2ZDF.js
import{n as p}from"./chunk-MSR5RH7A.js";import{a as e}from"./chunk-2SB3S5D2.js";import{k as m}from"./chunk-K2XGPZOV.js";import{e as t,h as o,m as r}from"./chunk-Y33B5N3N.js";function y(){return o(t,{children:[e.value&&o(m,{children:r("match.cut")}),o(p,{})]})}export{y as a};
========
import{a as p}from"./chunk-WCSIESJQ.js";import{a as e}from"./chunk-PPNK7TEZ.js";import{k as m}from"./chunk-K2XGPZOV.js";import{e as t,h as o,m as r}from"./chunk-Y33B5N3N.js";function y(){return o(t,{children:[e.value&&o(m,{children:r("match.cut")}),o(p,{})]})}export{y as a};
>>>>>>>> f132c29e (Show an event on a wall, and print it):service/web/pages/built/chunks/chunk-QSPK6VFF.js
