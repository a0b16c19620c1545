import{a,b}from"./part-QGPFKWP6.js";import"./part-W2VTK53K.js";import"./part-RBMK3ZKQ.js";export{b as SignInCard,a as default};
